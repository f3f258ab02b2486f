package io.millrace.yarn.client;

import io.millrace.core.error.Failure;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import javax.xml.XMLConstants;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.SAXException;

/**
 * Whether YARN's scheduler creates a queue that does not exist.
 *
 * @param verdict what is known about it
 * @param reason why, as the end of a sentence
 */
record QueueCreation(Verdict verdict, String reason) {
  enum Verdict {
    /** The scheduler creates queues there. Whether it creates this one, it decides itself. */
    POSSIBLE,
    IMPOSSIBLE,
    UNKNOWN
  }

  static final QueueCreation FAIR_SCHEDULER =
      new QueueCreation(Verdict.POSSIBLE, "its FairScheduler may create queues by itself");

  /** For an application whose queue exists, or that leaves the choice to YARN. */
  static final QueueCreation NOT_NEEDED =
      new QueueCreation(Verdict.IMPOSSIBLE, "no queue has to be created");

  private static final int MAX_BYTES = 32 << 20;
  private static final String TYPE = "type";
  private static final String ELIGIBILITY = "autoCreationEligibility";
  private static final String OFF = "off";
  private static final String ROOT = "root";

  /** The answer could not be had. */
  static QueueCreation unknown(Exception failure) {
    return new QueueCreation(
        Verdict.UNKNOWN,
        "its web service does not tell whether it creates queues by itself ("
            + YarnResourceManagerClient.firstLine(failure)
            + ")");
  }

  /**
   * Reads the answer of YARN's web service about its scheduler, {@code /ws/v1/cluster/scheduler} as
   * XML.
   *
   * @param wanted the name or path of the queue, which does not exist
   */
  static QueueCreation read(InputStream answer, String wanted) throws IOException {
    byte[] bytes = answer.readNBytes(MAX_BYTES);
    Element scheduler = scheduler(bytes);
    String type = scheduler.getAttributeNS(XMLConstants.W3C_XML_SCHEMA_INSTANCE_NS_URI, TYPE);
    if (type.equals("fairScheduler")) {
      return FAIR_SCHEDULER;
    }
    if (!type.equals("capacityScheduler")) {
      return new QueueCreation(
          Verdict.UNKNOWN, "it is not known whether its " + type + " creates queues by itself");
    }
    Map<String, String> eligibility = new LinkedHashMap<>();
    collect(scheduler, eligibility);
    if (eligibility.isEmpty()) {
      return new QueueCreation(
          Verdict.UNKNOWN,
          "this version of YARN does not tell whether it creates queues by itself");
    }
    return inCapacityScheduler(eligibility, wanted);
  }

  /**
   * @param eligibility by path: {@code off}, or the kind of queues that are created below
   */
  private static QueueCreation inCapacityScheduler(Map<String, String> eligibility, String wanted) {
    String parent = parent(eligibility, wanted);
    return eligibility.getOrDefault(parent, OFF).equals(OFF)
        ? new QueueCreation(Verdict.IMPOSSIBLE, "it creates no queues below " + parent)
        : new QueueCreation(Verdict.POSSIBLE, "it may create queues below " + parent);
  }

  /** The nearest existing queue above the wanted one: the root for a name without a path. */
  private static String parent(Map<String, String> eligibility, String wanted) {
    for (int dot = wanted.lastIndexOf('.'); dot > 0; dot = wanted.lastIndexOf('.', dot - 1)) {
      String prefix = wanted.substring(0, dot);
      Optional<String> found =
          eligibility.keySet().stream()
              .filter(path -> path.equals(prefix) || path.endsWith("." + prefix))
              .findFirst();
      if (found.isPresent()) {
        return found.get();
      }
    }
    return ROOT;
  }

  private static Element scheduler(byte[] xml) throws IOException {
    try {
      DocumentBuilderFactory parsers = DocumentBuilderFactory.newDefaultInstance();
      parsers.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
      parsers.setNamespaceAware(true);
      Element root =
          parsers.newDocumentBuilder().parse(new ByteArrayInputStream(xml)).getDocumentElement();
      return child(root, "schedulerInfo")
          .orElseThrow(() -> new IOException("the answer has no schedulerInfo"));
    } catch (SAXException e) {
      throw new IOException("the answer is not XML: " + Failure.sentence(e), e);
    } catch (ParserConfigurationException e) {
      throw new IllegalStateException("The parser of the JDK has these features", e);
    }
  }

  private static void collect(Element queue, Map<String, String> eligibility) {
    Optional<Element> path = child(queue, "queuePath");
    Optional<Element> own = child(queue, ELIGIBILITY);
    if (path.isPresent() && own.isPresent()) {
      eligibility.put(path.get().getTextContent(), own.get().getTextContent());
    }
    child(queue, "queues")
        .ifPresent(
            below -> {
              for (Node child = below.getFirstChild();
                  child != null;
                  child = child.getNextSibling()) {
                if (child instanceof Element element) {
                  collect(element, eligibility);
                }
              }
            });
  }

  /** The first child element of this name. */
  private static Optional<Element> child(Element parent, String name) {
    for (Node child = parent.getFirstChild(); child != null; child = child.getNextSibling()) {
      if (child instanceof Element element && name.equals(element.getLocalName())) {
        return Optional.of(element);
      }
    }
    return Optional.empty();
  }
}
