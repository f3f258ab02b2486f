package io.millrace.sim.disk;

import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.Objects;

/** A path without {@code .} and {@code ..}, absolute or relative. */
final class DiskPath implements Path {
  private final MountedFileSystem system;
  private final String text;

  DiskPath(MountedFileSystem system, String text) {
    this.system = Objects.requireNonNull(system);
    this.text = text;
  }

  private DiskPath of(String other) {
    return new DiskPath(system, other);
  }

  private String[] names() {
    String relative = isAbsolute() ? text.substring(1) : text;
    return relative.isEmpty() ? new String[0] : relative.split("/");
  }

  @Override
  public FileSystem getFileSystem() {
    return system;
  }

  @Override
  public boolean isAbsolute() {
    return text.startsWith("/");
  }

  @Override
  public Path getRoot() {
    return isAbsolute() ? of("/") : null;
  }

  @Override
  public Path getFileName() {
    return text.equals("/") ? null : of(SimDisk.name(text));
  }

  @Override
  public Path getParent() {
    return text.equals("/") || text.indexOf('/') < 0 ? null : of(SimDisk.parent(text));
  }

  @Override
  public int getNameCount() {
    return names().length;
  }

  @Override
  public Path getName(int index) {
    return of(names()[index]);
  }

  @Override
  public Path subpath(int from, int to) {
    return of(String.join("/", java.util.Arrays.copyOfRange(names(), from, to)));
  }

  @Override
  public boolean startsWith(Path other) {
    String prefix = other.toString();
    return text.equals(prefix) || text.startsWith(prefix.endsWith("/") ? prefix : prefix + "/");
  }

  @Override
  public boolean endsWith(Path other) {
    return text.equals(other.toString()) || text.endsWith("/" + other);
  }

  @Override
  public Path normalize() {
    return this;
  }

  @Override
  public Path resolve(Path other) {
    if (other.isAbsolute()) {
      return other;
    }
    return of(text.endsWith("/") ? text + other : text + "/" + other);
  }

  @Override
  public Path relativize(Path other) {
    if (!other.startsWith(this)) {
      throw new IllegalArgumentException(other + " is not below " + this);
    }
    String rest = other.toString().substring(text.length());
    return of(rest.startsWith("/") ? rest.substring(1) : rest);
  }

  @Override
  public URI toUri() {
    throw new UnsupportedOperationException();
  }

  @Override
  public Path toAbsolutePath() {
    return isAbsolute() ? this : of("/" + text);
  }

  @Override
  public Path toRealPath(LinkOption... options) {
    return toAbsolutePath();
  }

  @Override
  public WatchKey register(
      WatchService watcher, WatchEvent.Kind<?>[] events, WatchEvent.Modifier... modifiers) {
    throw new UnsupportedOperationException();
  }

  @Override
  public int compareTo(Path other) {
    return text.compareTo(other.toString());
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof DiskPath path && path.system == system && path.text.equals(text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }

  @Override
  public String toString() {
    return text;
  }
}
