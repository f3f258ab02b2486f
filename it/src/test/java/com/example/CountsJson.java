package com.example;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.api.StreamEnvironment;
import io.millrace.api.serialization.Serializer;
import io.millrace.core.config.RuntimeMode;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Objects;
import java.util.TreeMap;

/** Counts trees of Jackson, which is in its jar, and objects that need a custom serializer. */
public final class CountsJson {
  private CountsJson() {}

  /** Holds a thread, which cannot be deserialized in another process. */
  public static final class Handle {
    private final String name;
    private final Thread owner = Thread.currentThread();

    Handle(String name) {
      this.name = name;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Handle that && that.name.equals(name);
    }

    @Override
    public int hashCode() {
      return Objects.hash(name);
    }

    @Override
    public String toString() {
      return name + (owner == null ? " of nobody" : "");
    }
  }

  /** Writes the name only. */
  public static final class HandleSerializer implements Serializer<Handle> {
    private static final long serialVersionUID = 1L;

    @Override
    public void write(Handle handle, DataOutput out) throws IOException {
      out.writeUTF(handle.name);
    }

    @Override
    public Handle read(DataInput in) throws IOException {
      return new Handle(in.readUTF());
    }
  }

  public static void main(String[] args) {
    StreamEnvironment env =
        StreamEnvironment.current()
            .runtimeMode(RuntimeMode.BATCH)
            .registerSerializer(Handle.class, new HandleSerializer());
    ObjectMapper mapper = new ObjectMapper();
    TreeMap<String, Long> counts = new TreeMap<>();
    env.generate(index -> "{\"k\": \"k" + index % 4 + "\", \"n\": [1, " + index + "]}", 400)
        .map(mapper::readTree)
        .keyBy((JsonNode node) -> node.get("k").asText())
        .count()
        .collect("json")
        .forEachRemaining(counted -> counts.put(counted.key(), counted.count()));
    env.generate(index -> new Handle("h" + index % 4), 400)
        .keyBy(Handle::toString)
        .reduce((one, other) -> other)
        .collect("handles")
        .forEachRemaining(handle -> counts.put(handle.toString(), 1L));
    System.out.println(counts);
  }
}
