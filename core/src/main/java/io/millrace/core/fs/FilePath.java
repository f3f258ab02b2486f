package io.millrace.core.fs;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.nio.file.Path;
import java.util.Locale;

/**
 * A path in a file system. Written as {@code scheme://authority/path}, or as a plain path for a
 * local file. No character is escaped.
 *
 * @param scheme selects the file system, in lower case
 * @param authority the host or bucket; empty if there is none
 * @param path starts with {@code /}
 */
public record FilePath(String scheme, String authority, String path) {
  /** The scheme of local files. */
  public static final String LOCAL = "file";

  public FilePath {
    scheme = scheme.toLowerCase(Locale.ROOT);
    if (!path.startsWith("/")) {
      throw new IllegalArgumentException("path must start with /, but is '" + path + "'");
    }
    if (scheme.equals(LOCAL) && !authority.isEmpty()) {
      throw new MillraceException(
          ErrorKind.USER,
          "A local path must not have a host, but file://"
              + authority
              + path
              + " names '"
              + authority
              + "'. Write file:///… or the path alone.");
    }
  }

  /**
   * Parses a path. A relative path without a scheme is resolved against the working directory of
   * this process.
   */
  public static FilePath parse(String text) {
    int colon = schemeEnd(text);
    if (colon < 0) {
      return new FilePath(LOCAL, "", Path.of(text).toAbsolutePath().toString());
    }
    String scheme = text.substring(0, colon);
    String rest = text.substring(colon + 1);
    if (!rest.startsWith("//")) {
      return new FilePath(scheme, "", withoutTrailingSlash(rest));
    }
    int slash = rest.indexOf('/', 2);
    return slash < 0
        ? new FilePath(scheme, rest.substring(2), "/")
        : new FilePath(
            scheme, rest.substring(2, slash), withoutTrailingSlash(rest.substring(slash)));
  }

  /**
   * The index of the colon after the scheme. A colon without a slash behind it is part of a file
   * name.
   */
  private static int schemeEnd(String text) {
    int colon = text.indexOf(":/");
    for (int i = 0; i < colon; i++) {
      char c = text.charAt(i);
      boolean letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      boolean inner = (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
      if (!letter && (i == 0 || !inner)) {
        return -1;
      }
    }
    return colon > 0 ? colon : -1;
  }

  private static String withoutTrailingSlash(String path) {
    int end = path.length();
    while (end > 1 && path.charAt(end - 1) == '/') {
      end--;
    }
    return path.substring(0, end);
  }

  /** Whether it is a file of this machine. */
  public boolean isLocal() {
    return scheme.equals(LOCAL);
  }

  /** The path of this name in this directory. */
  public FilePath child(String name) {
    return new FilePath(scheme, authority, path.endsWith("/") ? path + name : path + "/" + name);
  }

  /** The directory that this path is in; that of the root is the root. */
  public FilePath parent() {
    return new FilePath(scheme, authority, path.substring(0, Math.max(1, path.lastIndexOf('/'))));
  }

  /** The last part of the path. */
  public String name() {
    return path.substring(path.lastIndexOf('/') + 1);
  }

  /** The form that {@link #parse} reads. */
  @Override
  public String toString() {
    return scheme.equals(LOCAL) ? path : scheme + "://" + authority + path;
  }
}
