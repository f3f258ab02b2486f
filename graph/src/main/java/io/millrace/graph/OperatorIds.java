package io.millrace.graph;

import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.program.Transformation;
import io.millrace.core.Bytes;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.Id128;
import io.millrace.core.id.OperatorId;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Deterministic operator ids: the hash of the uid, or else of the kind of operator, its inputs, and
 * its index among operators with the same kind and inputs. Names, parallelism and other branches of
 * the program do not count, so that changing these keeps the ids.
 */
final class OperatorIds {
  private final Map<String, String> nameOfUid = new HashMap<>();
  private final Map<String, Integer> alike = new HashMap<>();

  OperatorId idOf(
      Transformation.Operator operator,
      String name,
      List<StreamEdge> inputs,
      List<StreamNode> nodes) {
    if (operator.settings().uid().isPresent()) {
      String uid = operator.settings().uid().get();
      String other = nameOfUid.putIfAbsent(uid, name);
      if (other != null) {
        throw new MillraceException(
            ErrorKind.USER,
            "Uid '"
                + uid
                + "' is given to both '"
                + other
                + "' and '"
                + name
                + "'. A uid must be unique; choose another one for one of them.");
      }
      return hash("uid:" + uid);
    }
    StringBuilder position = new StringBuilder("position:");
    // A function that becomes a rich one keeps the id of its operator.
    OperatorSpec spec = withoutKey(operator.spec());
    position.append(spec.getClass().getSimpleName());
    for (StreamEdge input : inputs) {
      position.append(input.targetInput() == 0 ? '<' : '|').append(nodes.get(input.source()).id());
      if (!input.outputTag().isEmpty()) {
        position.append('!').append(input.outputTag());
      }
    }
    int before = alike.merge(position.toString(), 1, Integer::sum);
    return hash(position.append('#').append(before).toString());
  }

  private static OperatorSpec withoutKey(OperatorSpec spec) {
    if (spec instanceof OperatorSpec.Keyed keyed) {
      return keyed.operator();
    }
    return spec instanceof OperatorSpec.KeyedCo keyed ? keyed.operator() : spec;
  }

  /** The id of the enumerator of a source, which follows from that of its readers. */
  static OperatorId enumeratorOf(OperatorId readers) {
    return hash("enumerator:" + readers);
  }

  /** The id of the global committer of a sink, which follows from that of its writers. */
  static OperatorId globalCommitterOf(OperatorId writers) {
    return hash("committer:" + writers);
  }

  private static OperatorId hash(String text) {
    ByteBuffer digest = ByteBuffer.wrap(Bytes.utf8(text).sha256());
    return new OperatorId(new Id128(digest.getLong(), digest.getLong()));
  }
}
