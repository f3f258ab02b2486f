package io.millrace.yarn.client;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.apache.hadoop.yarn.client.api.YarnClient;

/**
 * A distribution whose JobManagers only register at YARN. They read their command from a file that
 * {@code containerized.master.env.STAND_IN} names: {@code SUCCEEDED}, {@code FAILED} or {@code
 * KILLED} ends them with that status, {@code exit} at once. They write their arguments beside it.
 */
final class StubYarnClient {
  static final String VARIABLE = "containerized.master.env.STAND_IN";

  private static final String SOURCE =
      """
      package io.millrace.yarn.master;

      import java.nio.file.*;
      import java.util.*;
      import org.apache.hadoop.io.Text;
      import org.apache.hadoop.security.*;
      import org.apache.hadoop.yarn.api.records.FinalApplicationStatus;
      import org.apache.hadoop.yarn.client.api.AMRMClient;
      import org.apache.hadoop.yarn.conf.YarnConfiguration;

      public class $CLASS {
        public static void main(String[] arguments) throws Exception {
          java.nio.file.Path orders = Paths.get(System.getenv("STAND_IN"));
          if (Files.exists(orders) && Files.readString(orders).equals("exit")) {
            System.exit(1);
          }
          YarnConfiguration settings = new YarnConfiguration();
          FileSystem archive =
              FileSystems.newFileSystem(Paths.get("application.zip"), (ClassLoader) null);
          for (String site : List.of("core-site.xml", "yarn-site.xml")) {
            settings.addResource(Files.newInputStream(archive.getPath("hadoop", site)));
          }
          Files.write(
              orders.resolveSibling("arguments"), String.join("|", arguments).getBytes("UTF-8"));
          Credentials secrets = UserGroupInformation.getCurrentUser().getCredentials();
          Set<String> names = new TreeSet<>();
          secrets.getAllSecretKeys().forEach(name -> names.add(name.toString()));
          Files.write(
              orders.resolveSibling("found"),
              String.join(
                      "|",
                      System.getenv("HADOOP_USER_NAME"),
                      new String(
                          secrets.getSecretKey(new Text("millrace.file.secrets/rest.token"))),
                      String.valueOf(names),
                      String.valueOf(Files.exists(Paths.get("shipped/inner.txt"))))
                  .getBytes("UTF-8"));
          AMRMClient<AMRMClient.ContainerRequest> client = AMRMClient.createAMRMClient();
          client.init(settings);
          client.start();
          client.registerApplicationMaster("127.0.0.1", 1, "http://127.0.0.1:1");
          while (!Files.exists(orders)) {
            Thread.sleep(50);
            client.allocate(0);
          }
          client.unregisterApplicationMaster(
              FinalApplicationStatus.valueOf(Files.readString(orders).strip()), "as ordered", "");
          System.exit(0);
        }
      }
      """;

  private StubYarnClient() {}

  /** Makes the distribution in a directory. */
  static EngineArchive engine(Path home) throws IOException {
    Path lib = Files.createDirectories(home.resolve("lib"));
    Path hadoop = Files.createDirectories(home.resolve("plugins/hadoop/lib"));
    Path classes = Files.createDirectories(home.resolve("classes"));
    for (DeploymentMode mode : DeploymentMode.values()) {
      compile(mode.mainClass().substring(mode.mainClass().lastIndexOf('.') + 1), classes);
    }
    jar(classes, lib.resolve("stand-in.jar"));
    for (String part : System.getProperty("java.class.path").split(":")) {
      String name = Path.of(part).getFileName().toString();
      if (name.startsWith("hadoop-client-api") || name.startsWith("hadoop-client-runtime")) {
        Files.createSymbolicLink(hadoop.resolve(name), Path.of(part));
      } else if (name.startsWith("slf4j-api")) {
        Files.createSymbolicLink(lib.resolve(name), Path.of(part));
      }
    }
    return EngineArchive.of(home, home.resolve("plugins"), "test");
  }

  private static void compile(String name, Path classes) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    JavaFileObject source =
        new SimpleJavaFileObject(
            URI.create("string:///" + name + ".java"), JavaFileObject.Kind.SOURCE) {
          @Override
          public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return SOURCE.replace("$CLASS", name);
          }
        };
    Path hadoop =
        Path.of(YarnClient.class.getProtectionDomain().getCodeSource().getLocation().getPath());
    boolean compiled =
        compiler
            .getTask(
                null,
                null,
                null,
                List.of("-d", classes.toString(), "-cp", hadoop.toString(), "-proc:none"),
                null,
                List.of(source))
            .call();
    if (!compiled) {
      throw new IOException("The stand-in does not compile");
    }
  }

  private static void jar(Path classes, Path jar) throws IOException {
    try (OutputStream file = Files.newOutputStream(jar);
        JarOutputStream out = new JarOutputStream(file);
        Stream<Path> all = Files.walk(classes)) {
      for (Path one : all.filter(Files::isRegularFile).sorted().toList()) {
        out.putNextEntry(new JarEntry(classes.relativize(one).toString()));
        Files.copy(one, out);
        out.closeEntry();
      }
    }
  }

  static void order(Path orders, String what) throws IOException {
    Path draft = orders.resolveSibling("draft");
    Files.writeString(draft, what, StandardCharsets.UTF_8);
    Files.move(draft, orders);
  }
}
