// Preferences of the reader, which the browser stores.

export const preferences = {
  read(name, otherwise) {
    try {
      return localStorage.getItem(`bookbuilder.${name}`) ?? otherwise;
    } catch {
      return otherwise;
    }
  },
  write(name, value) {
    try {
      localStorage.setItem(`bookbuilder.${name}`, value);
    } catch {
      // A browser that stores nothing still shows everything.
    }
  },
};
