package io.millrace.fs.hadoop;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;
import org.apache.hadoop.conf.ConfigRedactor;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.ssl.SSLFactory;

/**
 * Hadoop's configuration files as processes on other machines get them. Included files, which those
 * machines do not have, are resolved. Secrets of servers are left out. Those of clients stay: keys
 * of file systems ({@code fs.*}), and the passwords of the stores of a TLS client.
 */
public final class ShippedHadoopFiles {
  /** Credentials of daemons at ZooKeeper, whose keys Hadoop does not treat as sensitive. */
  private static final Pattern ZOOKEEPER_CREDENTIALS = Pattern.compile(".*(zk|zookeeper)[.-]auth");

  private final ConfigRedactor redactor;
  private final boolean showsCertificate;

  private ShippedHadoopFiles(Configuration all) {
    this.redactor = new ConfigRedactor(all);
    this.showsCertificate = all.getBoolean(SSLFactory.SSL_REQUIRE_CLIENT_CERT_KEY, false);
  }

  /**
   * The contents by file name.
   *
   * @param settings what the files of the environment and the options of the process say together
   */
  public static Map<String, byte[]> of(Map<String, String> environment, Configuration settings) {
    ShippedHadoopFiles shipped = new ShippedHadoopFiles(settings);
    Map<String, byte[]> contents = new LinkedHashMap<>();
    for (Path file : HadoopSettings.files(environment)) {
      Configuration content = new Configuration(false);
      content.addResource(new org.apache.hadoop.fs.Path(file.toUri()));
      HadoopSettings.load(content, environment);
      contents.put(file.getFileName().toString(), shipped.write(content));
    }
    return contents;
  }

  private boolean travels(String key) {
    boolean secret =
        !redactor.redact(key, key).equals(key) || ZOOKEEPER_CREDENTIALS.matcher(key).matches();
    return !secret
        || key.startsWith("fs.")
        || key.startsWith("ssl.client.truststore.")
        || (key.startsWith("ssl.client.keystore.") && showsCertificate);
  }

  /** Variables in values stay as they are: the other process has its own user and directories. */
  private byte[] write(Configuration content) {
    Map<String, String> properties = new TreeMap<>();
    content.forEach(property -> properties.put(property.getKey(), property.getValue()));
    Set<String> finals = content.getFinalParameters();
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try {
      XMLStreamWriter xml =
          XMLOutputFactory.newDefaultFactory()
              .createXMLStreamWriter(bytes, StandardCharsets.UTF_8.name());
      xml.writeStartDocument(StandardCharsets.UTF_8.name(), "1.0");
      xml.writeStartElement("configuration");
      for (Map.Entry<String, String> property : properties.entrySet()) {
        if (travels(property.getKey())) {
          xml.writeStartElement("property");
          element(xml, "name", property.getKey());
          element(xml, "value", property.getValue());
          if (finals.contains(property.getKey())) {
            element(xml, "final", "true");
          }
          xml.writeEndElement();
        }
      }
      xml.writeEndElement();
      xml.writeEndDocument();
      xml.close();
    } catch (XMLStreamException e) {
      throw new IllegalStateException("A buffer in memory cannot be written", e);
    }
    return bytes.toByteArray();
  }

  private static void element(XMLStreamWriter xml, String name, String text)
      throws XMLStreamException {
    xml.writeStartElement(name);
    xml.writeCharacters(text);
    xml.writeEndElement();
  }
}
