package io.millrace.yarn.launch;

import io.millrace.core.OrderedCopies;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.yarn.api.records.LocalResource;
import org.apache.hadoop.yarn.api.records.LocalResourceType;
import org.apache.hadoop.yarn.api.records.LocalResourceVisibility;
import org.apache.hadoop.yarn.api.records.URL;

/**
 * A file on Hadoop's file system that containers get.
 *
 * @param link its path in the working directory of a container
 * @param modified the modification time; YARN rejects a file that has changed since
 * @param forWorkers whether TaskManagers get it, too
 */
public record StagedFile(
    String link,
    URI place,
    long size,
    long modified,
    LocalResourceType type,
    LocalResourceVisibility visibility,
    boolean forWorkers) {
  private static final int FIELDS = 7;

  public StagedFile {
    Objects.requireNonNull(place);
    Objects.requireNonNull(type);
    Objects.requireNonNull(visibility);
    if (link.isEmpty()
        || link.startsWith("/")
        || OrderedCopies.list(List.of(link.split("/"))).contains("..")) {
      throw new IllegalArgumentException("A link must stay in the working directory: " + link);
    }
  }

  public LocalResource resource() {
    return LocalResource.newInstance(
        URL.fromPath(new Path(place)), type, visibility, size, modified);
  }

  /** Encodes files for an environment variable, without characters that a shell interprets. */
  public static String encode(List<StagedFile> files) {
    StringBuilder lines = new StringBuilder();
    for (StagedFile file : files) {
      lines
          .append(
              String.join(
                  "\t",
                  file.link,
                  file.place.toString(),
                  String.valueOf(file.size),
                  String.valueOf(file.modified),
                  file.type.name(),
                  file.visibility.name(),
                  String.valueOf(file.forWorkers)))
          .append('\n');
    }
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(lines.toString().getBytes(StandardCharsets.UTF_8));
  }

  public static List<StagedFile> decode(String text) {
    try {
      List<StagedFile> files = new ArrayList<>();
      String lines = new String(Base64.getUrlDecoder().decode(text), StandardCharsets.UTF_8);
      for (String line : lines.lines().toList()) {
        String[] fields = line.split("\t", -1);
        if (fields.length != FIELDS) {
          throw new IllegalArgumentException("a line with " + fields.length + " fields");
        }
        files.add(
            new StagedFile(
                fields[0],
                URI.create(fields[1]),
                Long.parseLong(fields[2]),
                Long.parseLong(fields[3]),
                LocalResourceType.valueOf(fields[4]),
                LocalResourceVisibility.valueOf(fields[5]),
                Boolean.parseBoolean(fields[6])));
      }
      return files;
    } catch (IllegalArgumentException e) {
      throw new MillraceException(
          ErrorKind.BUG,
          "The list of staged files in " + ContainerLayout.FILES_VARIABLE + " cannot be read: " + e,
          e);
    }
  }
}
