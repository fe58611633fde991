# A formula for a tap. Homebrew builds it from the newest commit; a release adds `url` and `sha256`.
class Bookbuilder < Formula
  include Language::Python::Virtualenv

  desc "Opening books from game archives, for chess and xiangqi"
  license "GPL-3.0-or-later"
  head { url File.expand_path("../..", __dir__), using: :git, branch: "main" }

  depends_on "rust" => :build
  depends_on "python@3.13"

  def install
    # Only the lowest versions are fixed, so pip finds the dependencies.
    venv = virtualenv_create(libexec, "python3.13")
    system libexec/"bin/python", "-m", "pip", "install", "--no-cache-dir", buildpath
    bin.install_symlink venv.root/"bin/bookbuilder"
  end

  test do
    system bin/"bookbuilder", "demo"
  end
end
