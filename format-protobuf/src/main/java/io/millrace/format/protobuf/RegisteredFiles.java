package io.millrace.format.protobuf;

import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.format.registry.SchemaRegistryClient;
import io.millrace.format.registry.SchemaRegistryClient.Reference;
import io.millrace.format.registry.SchemaRegistryClient.Schema;
import io.millrace.format.registry.SchemaRegistryClient.SchemaType;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Files of Protobuf in a schema registry. Belongs to one task. */
final class RegisteredFiles {
  /** Files that each registry has. */
  private static final List<String> BUILT_IN = List.of("google/protobuf/", "confluent/");

  private final SchemaRegistryClient client;

  /** Names of messages; empty for a registry that gives texts only. */
  private final Map<Place, Optional<String>> names = new HashMap<>();

  private record Place(int id, MessageIndexes indexes) {}

  RegisteredFiles(SchemaRegistryClient client) {
    this.client = client;
  }

  /** The id of a file under a subject. What it imports is registered under the names of files. */
  int id(String subject, FileDescriptor file) {
    return client.id(subject, schema(file));
  }

  private Schema schema(FileDescriptor file) {
    List<Reference> references = new ArrayList<>();
    for (FileDescriptor imported : file.getDependencies()) {
      String name = imported.getName();
      if (BUILT_IN.stream().noneMatch(name::startsWith)) {
        references.add(new Reference(name, name, client.version(name, schema(imported))));
      }
    }
    return new Schema(
        SchemaType.PROTOBUF,
        Base64.getEncoder().encodeToString(file.toProto().toByteArray()),
        references);
  }

  /** The full name of a message; empty if the registry does not tell it. */
  Optional<String> messageName(int id, MessageIndexes indexes) {
    Place place = new Place(id, indexes);
    Optional<String> known = names.get(place);
    if (known == null) {
      known = file(client.schema(id, SchemaType.PROTOBUF)).map(file -> name(id, file, indexes));
      names.put(place, known);
    }
    return known;
  }

  private static Optional<FileDescriptorProto> file(String answer) {
    byte[] bytes;
    try {
      bytes = Base64.getDecoder().decode(answer);
    } catch (IllegalArgumentException e) {
      // The text of the file. Reading does not depend on it.
      return Optional.empty();
    }
    try {
      return Optional.of(FileDescriptorProto.parseFrom(bytes));
    } catch (InvalidProtocolBufferException e) {
      throw new MillraceException(
          ErrorKind.EXTERNAL, "The schema registry answers with what is no file of Protobuf.", e);
    }
  }

  private static String name(int id, FileDescriptorProto file, MessageIndexes indexes) {
    StringBuilder name = new StringBuilder(file.getPackage());
    List<DescriptorProto> messages = file.getMessageTypeList();
    for (int index : indexes.path()) {
      if (index < 0 || index >= messages.size()) {
        throw new MillraceException(
            ErrorKind.USER, "Schema " + id + " has no message at " + indexes.path() + ".");
      }
      name.append(name.isEmpty() ? "" : ".").append(messages.get(index).getName());
      messages = messages.get(index).getNestedTypeList();
    }
    return name.toString();
  }
}
