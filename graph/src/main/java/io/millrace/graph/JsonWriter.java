package io.millrace.graph;

import java.util.List;
import java.util.Map;

/** Writes maps, lists, strings, numbers and booleans as JSON. */
final class JsonWriter {
  private final StringBuilder text = new StringBuilder();

  private JsonWriter() {}

  static String of(Object value) {
    JsonWriter json = new JsonWriter();
    json.value(value);
    return json.text.toString();
  }

  private void value(Object value) {
    if (value instanceof Map<?, ?> object) {
      object(object);
    } else if (value instanceof List<?> array) {
      array(array);
    } else if (value == null || value instanceof Number || value instanceof Boolean) {
      text.append(value);
    } else {
      string(value.toString());
    }
  }

  private void object(Map<?, ?> object) {
    text.append('{');
    String separator = "";
    for (Map.Entry<?, ?> entry : object.entrySet()) {
      text.append(separator);
      string(entry.getKey().toString());
      text.append(':');
      value(entry.getValue());
      separator = ",";
    }
    text.append('}');
  }

  private void array(List<?> array) {
    text.append('[');
    String separator = "";
    for (Object element : array) {
      text.append(separator);
      value(element);
      separator = ",";
    }
    text.append(']');
  }

  private void string(String content) {
    text.append('"');
    for (int i = 0; i < content.length(); i++) {
      char c = content.charAt(i);
      switch (c) {
        case '"' -> text.append("\\\"");
        case '\\' -> text.append("\\\\");
        case '\n' -> text.append("\\n");
        case '\r' -> text.append("\\r");
        case '\t' -> text.append("\\t");
        default -> {
          if (c < ' ') {
            text.append(String.format("\\u%04x", (int) c));
          } else {
            text.append(c);
          }
        }
      }
    }
    text.append('"');
  }
}
