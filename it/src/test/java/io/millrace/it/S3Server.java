package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** S3Proxy as a process of its own; each object is a file below a directory. */
final class S3Server implements AutoCloseable {
  static final String BUCKET = "bucket";
  static final String SECRET = "Zr8vK1-secret-of-this-test";

  private static final String IDENTITY = "identity-of-this-test";
  private static final Path JAR = Path.of("target/s3proxy/s3proxy.jar").toAbsolutePath();
  private static final Pattern STARTED = Pattern.compile("ServerConnector.*\\{(127.0.0.1:\\d+)}");

  private final Path data;
  private final Command process;
  private final String address;

  S3Server(Path directory) throws IOException {
    data = directory.resolve("s3-data");
    Files.createDirectories(data.resolve(BUCKET));
    Path settings = directory.resolve("s3proxy.properties");
    Files.write(
        settings,
        List.of(
            "s3proxy.endpoint=http://127.0.0.1:0",
            "s3proxy.authorization=aws-v2-or-v4",
            "s3proxy.identity=" + IDENTITY,
            "s3proxy.credential=" + SECRET,
            "jclouds.provider=filesystem-nio2",
            "jclouds.filesystem.basedir=" + data));
    assertThat(JAR).isRegularFile();
    process =
        new Command(
            new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Djava.io.tmpdir=" + directory,
                "-jar",
                JAR.toString(),
                "--properties",
                settings.toString()));
    Matcher started = STARTED.matcher(process.awaitLine(line -> STARTED.matcher(line).find()));
    assertThat(started.find()).isTrue();
    address = started.group(1);
  }

  /** Writes the configuration of Hadoop's client. */
  Path configuration(Path directory) throws IOException {
    return configuration(directory, address);
  }

  static Path configuration(Path directory, String address) throws IOException {
    StringBuilder site = new StringBuilder("<configuration>\n");
    property(site, "fs.s3a.endpoint", "http://" + address);
    property(site, "fs.s3a.endpoint.region", "us-east-1");
    property(site, "fs.s3a.path.style.access", "true");
    property(site, "fs.s3a.access.key", IDENTITY);
    property(site, "fs.s3a.secret.key", SECRET);
    Files.createDirectories(directory);
    Files.writeString(directory.resolve("core-site.xml"), site.append("</configuration>\n"));
    return directory;
  }

  private static void property(StringBuilder site, String name, String value) {
    site.append("<property><name>")
        .append(name)
        .append("</name><value>")
        .append(value)
        .append("</value></property>\n");
  }

  /** The file of an object, or the directory of objects with a prefix. */
  Path of(String uri) {
    String root = "s3a://" + BUCKET + "/";
    assertThat(uri).startsWith(root);
    return data.resolve(BUCKET).resolve(uri.substring(root.length()));
  }

  /** The names of the objects below a prefix, relative to it. */
  List<String> objects(String uri) throws IOException {
    Path directory = of(uri);
    if (!Files.isDirectory(directory)) {
      return List.of();
    }
    try (Stream<Path> tree = Files.walk(directory)) {
      return tree.filter(Files::isRegularFile)
          .map(file -> directory.relativize(file).toString())
          .sorted()
          .toList();
    }
  }

  @Override
  public void close() {
    process.kill();
  }
}
