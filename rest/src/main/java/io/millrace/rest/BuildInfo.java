package io.millrace.rest;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/** Version, commit and time of this build, read from a resource that the build writes. */
record BuildInfo(String version, String commit, String time) {

  static BuildInfo read() {
    Properties properties = new Properties();
    try (InputStream in = BuildInfo.class.getResourceAsStream("build.properties")) {
      if (in == null) {
        throw new IllegalStateException("This build lacks io/millrace/rest/build.properties");
      }
      properties.load(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new BuildInfo(
        properties.getProperty("version"),
        properties.getProperty("commit"),
        properties.getProperty("built"));
  }
}
