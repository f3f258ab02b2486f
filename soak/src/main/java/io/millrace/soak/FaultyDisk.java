package io.millrace.soak;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A small file system in memory, which can be filled, made read-only and taken away. It needs the
 * right to mount.
 */
public final class FaultyDisk implements AutoCloseable {
  private final Path place;
  private final Path away;
  private boolean mounted;

  private FaultyDisk(Path place, Path away) {
    this.place = place;
    this.away = away;
  }

  /**
   * Mounts a disk in a directory.
   *
   * @param name of the new directory in which the disk is mounted
   * @return the disk; a plain directory if mounting is not permitted
   */
  public static FaultyDisk mount(Path directory, String name, int megabytes)
      throws IOException, InterruptedException {
    FaultyDisk disk =
        new FaultyDisk(
            Files.createDirectories(directory.resolve(name)),
            Files.createDirectories(directory.resolve(name + "-away")));
    // Below the disk: where nothing can be written once the disk is taken away.
    if (run("mount", "-t", "tmpfs", "-o", "ro,size=4k", "tmpfs", disk.place.toString())) {
      disk.mounted =
          run(
              "mount",
              "-t",
              "tmpfs",
              "-o",
              "size=" + megabytes + "m",
              "tmpfs",
              disk.place.toString());
      if (!disk.mounted) {
        run("umount", disk.place.toString());
      }
    }
    return disk;
  }

  private static boolean run(String... command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    boolean succeeded = process.waitFor() == 0;
    if (!succeeded) {
      System.out.println(String.join(" ", List.of(command)) + ": " + output.strip());
    }
    return succeeded;
  }

  private static void require(boolean succeeded, String what) {
    if (!succeeded) {
      throw new SoakException("Cannot " + what);
    }
  }

  public Path directory() {
    return place;
  }

  /** Whether the disk can be disturbed. */
  public boolean isMounted() {
    return mounted;
  }

  /** Leaves no byte free. */
  public void fill() throws IOException {
    byte[] block = new byte[64 * 1024];
    try (OutputStream out = Files.newOutputStream(filler())) {
      while (true) {
        out.write(block);
      }
    } catch (IOException full) {
      if (!String.valueOf(full.getMessage()).contains("No space")) {
        throw full;
      }
    }
  }

  public void empty() throws IOException {
    Files.deleteIfExists(filler());
  }

  private Path filler() {
    return place.resolve("filler");
  }

  public void makeReadOnly() throws IOException, InterruptedException {
    // Fails while a file is open for writing.
    for (int i = 0; !run("mount", "-o", "remount,ro", place.toString()); i++) {
      require(i < 200, "make the disk read-only");
      Thread.sleep(20);
    }
  }

  public void makeWritable() throws IOException, InterruptedException {
    require(run("mount", "-o", "remount,rw", place.toString()), "make the disk writable");
  }

  public void takeAway() throws IOException, InterruptedException {
    require(run("mount", "--make-private", place.toString()), "make the mount private");
    require(run("mount", "--move", place.toString(), away.toString()), "take the disk away");
  }

  public void bringBack() throws IOException, InterruptedException {
    require(run("mount", "--move", away.toString(), place.toString()), "bring the disk back");
  }

  /** Unmounts the disk, wherever it is. */
  private void unmount() throws IOException, InterruptedException {
    for (Path mount : List.of(away, place, place)) {
      if (Files.readString(Path.of("/proc/mounts")).contains(" " + mount.toRealPath() + " ")) {
        run("umount", "-l", mount.toString());
      }
    }
  }

  @Override
  public void close() throws IOException {
    try {
      unmount();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SoakException("Interrupted; " + place + " may still be mounted", e);
    }
  }
}
