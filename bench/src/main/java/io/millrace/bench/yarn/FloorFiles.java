package io.millrace.bench.yarn;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.yarn.api.records.LocalResource;
import org.apache.hadoop.yarn.api.records.LocalResourceType;
import org.apache.hadoop.yarn.api.records.LocalResourceVisibility;
import org.apache.hadoop.yarn.api.records.URL;

/** The libraries of the floor in one directory that all users can read. */
final class FloorFiles {
  private static final Path DIRECTORY = new Path("/millrace-bench/floor");

  private FloorFiles() {}

  static void put(Configuration configuration, List<String> jars) throws IOException {
    FileSystem files = FileSystem.get(configuration);
    files.mkdirs(DIRECTORY);
    for (String jar : jars) {
      Path from = new Path(jar);
      Path to = new Path(DIRECTORY, from.getName());
      files.copyFromLocalFile(false, true, from, to);
      files.setPermission(to, new FsPermission((short) 0644));
    }
    files.setPermission(DIRECTORY, new FsPermission((short) 0755));
    files.setPermission(DIRECTORY.getParent(), new FsPermission((short) 0755));
  }

  /** The local resources of both containers, by name. */
  static Map<String, LocalResource> resources(Configuration configuration) throws IOException {
    FileSystem files = FileSystem.get(configuration);
    Map<String, LocalResource> resources = new LinkedHashMap<>();
    for (FileStatus file : files.listStatus(DIRECTORY)) {
      resources.put(
          file.getPath().getName(),
          LocalResource.newInstance(
              URL.fromPath(files.makeQualified(file.getPath())),
              LocalResourceType.FILE,
              LocalResourceVisibility.PUBLIC,
              file.getLen(),
              file.getModificationTime()));
    }
    return resources;
  }
}
