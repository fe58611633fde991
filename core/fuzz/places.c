/* What libFuzzer asks a sanitizer for: here a place is named by its address in the program, for addr2line. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>

void __sanitizer_symbolize_pc(char *place, const char *format, char *out, size_t size) {
    Dl_info program;
    (void)format;
    /* libFuzzer passes the address behind the place. */
    if (dladdr(place, &program))
        snprintf(out, size, " 0x%tx", place - 1 - (char *)program.dli_fbase);
    else
        snprintf(out, size, " ?");
}

int __sanitizer_get_module_and_offset_for_pc(char *place, char *module, size_t size, char **offset) {
    snprintf(module, size, "program");
    *offset = place;
    return 1;
}
