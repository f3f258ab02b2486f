package io.millrace.dataplane.metrics;

import io.millrace.api.metric.Counter;
import io.millrace.api.metric.Gauge;
import io.millrace.api.metric.Histogram;
import io.millrace.api.metric.HistogramStatistics;
import io.millrace.api.metric.Meter;
import io.millrace.api.metric.MetricGroup;
import io.millrace.core.metric.MetricName;
import io.millrace.core.metric.MetricReading;
import io.millrace.core.metric.MetricValue;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The metrics that the functions of a task have registered. Any thread may register and read; what
 * is beyond the bounds works, but is not reported.
 */
public final class UserMetrics {
  /** Maximum number of metrics of a task. */
  static final int MAX_METRICS = 256;

  /** Maximum number of characters of a name with its groups, without the operator. */
  static final int MAX_NAME_LENGTH = 256;

  private static final Logger LOG = LoggerFactory.getLogger(UserMetrics.class);

  private final String task;

  /** By name: counters, meters, histograms and gauges. Guarded by this. */
  private final Map<MetricName, Object> metrics = new LinkedHashMap<>(0);

  private boolean warned;
  private boolean closed;

  /**
   * @param task the label of the task, for warnings
   */
  public UserMetrics(String task) {
    this.task = task;
  }

  /** The group of an operator. */
  public MetricGroup of(String operator) {
    return new Group(this, operator, List.of());
  }

  /** The metric that is registered under the name; the given one if it is not reported. */
  private synchronized <M> M register(MetricName name, Class<M> kind, M metric) {
    if (closed) {
      return metric;
    }
    Object known = metrics.get(name);
    if (kind == Gauge.class && known instanceof Gauge) {
      metrics.put(name, metric);
      return metric;
    }
    if (kind.isInstance(known)) {
      return kind.cast(known);
    }
    Optional<String> refusal = refusal(name, known);
    if (refusal.isEmpty()) {
      metrics.put(name, metric);
    } else if (!warned) {
      // Once: a function may ask for a new name with each record.
      warned = true;
      LOG.warn(
          "Task {}: metric '{}' is not reported: {} Further ones are left out without a line.",
          task,
          name.length() > 2 * MAX_NAME_LENGTH
              ? name.dotted().substring(0, MAX_NAME_LENGTH) + "…"
              : name.dotted(),
          refusal.get());
    }
    return metric;
  }

  private Optional<String> refusal(MetricName name, Object known) {
    if (known != null) {
      return Optional.of(
          "a metric of another kind, "
              + known.getClass().getSimpleName()
              + ", has the name. Use another name.");
    }
    int length = name.length() - name.operator().length();
    if (name.name().isEmpty() || length > MAX_NAME_LENGTH) {
      return Optional.of(
          "a name has 1 to "
              + MAX_NAME_LENGTH
              + " characters with its groups, not "
              + length
              + ".");
    }
    return metrics.size() < MAX_METRICS
        ? Optional.empty()
        : Optional.of(
            "a task has at most "
                + MAX_METRICS
                + " metrics. Register them in open, and count what has many values in a"
                + " histogram or in the output.");
  }

  /** The functions of the task are about to close, and gauges may look into them. */
  public synchronized void close() {
    closed = true;
    metrics.values().removeIf(Gauge.class::isInstance);
  }

  /**
   * The current values. Calls gauges, which are code of the program and may take long or throw; one
   * that throws is left out.
   */
  public List<MetricReading> read() {
    Map<MetricName, Object> registered;
    synchronized (this) {
      if (metrics.isEmpty()) {
        return List.of();
      }
      registered = new LinkedHashMap<>(metrics);
    }
    List<MetricReading> readings = new ArrayList<>(registered.size());
    registered.forEach(
        (name, metric) ->
            value(metric).ifPresent(value -> readings.add(new MetricReading(name, value))));
    return readings;
  }

  private Optional<MetricValue> value(Object metric) {
    if (metric instanceof Counter counter) {
      return Optional.of(new MetricValue.Count(counter.count()));
    } else if (metric instanceof Meter meter) {
      return Optional.of(new MetricValue.Rate(meter.count(), meter.rate()));
    } else if (metric instanceof Histogram histogram) {
      return Optional.of(distribution(histogram.count(), histogram.statistics()));
    }
    try {
      return gauged(((Gauge<?>) metric).value());
    } catch (OutOfMemoryError e) {
      throw e;
    } catch (Throwable e) {
      // Any other error of the program concerns this gauge alone.
      LOG.debug("Task {}: a gauge failed", task, e);
      return Optional.empty();
    }
  }

  private static Optional<MetricValue> gauged(Object value) {
    if (value == null) {
      return Optional.empty();
    } else if (value instanceof Number number) {
      return Optional.of(new MetricValue.Level(number.doubleValue()));
    } else if (value instanceof Boolean flag) {
      return Optional.of(new MetricValue.Level(flag ? 1 : 0));
    }
    return Optional.of(new MetricValue.Text(String.valueOf(value)));
  }

  static MetricValue distribution(long count, HistogramStatistics latest) {
    return new MetricValue.Distribution(
        count,
        latest.min(),
        latest.max(),
        latest.mean(),
        latest.standardDeviation(),
        latest.quantile(0.5),
        latest.quantile(0.75),
        latest.quantile(0.9),
        latest.quantile(0.95),
        latest.quantile(0.98),
        latest.quantile(0.99),
        latest.quantile(0.999));
  }

  private record Group(UserMetrics all, String operator, List<MetricName.Group> path)
      implements MetricGroup {
    @Override
    public MetricGroup group(String name) {
      return group(name, "");
    }

    @Override
    public MetricGroup group(String name, String value) {
      List<MetricName.Group> inner = new ArrayList<>(path);
      inner.add(new MetricName.Group(name, value));
      return new Group(all, operator, inner);
    }

    @Override
    public Counter counter(String name, Counter counter) {
      return register(name, Counter.class, counter);
    }

    @Override
    public Meter meter(String name, Meter meter) {
      return register(name, Meter.class, meter);
    }

    @Override
    public Histogram histogram(String name, Histogram histogram) {
      return register(name, Histogram.class, histogram);
    }

    @Override
    @SuppressWarnings("unchecked") // A gauge under a name is the one that was registered last.
    public <T> Gauge<T> gauge(String name, Gauge<T> gauge) {
      return register(name, Gauge.class, gauge);
    }

    private <M> M register(String name, Class<M> kind, M metric) {
      return all.register(new MetricName(operator, path, name), kind, metric);
    }
  }
}
