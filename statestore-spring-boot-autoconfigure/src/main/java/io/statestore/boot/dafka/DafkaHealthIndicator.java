package io.statestore.boot.dafka;

import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

import io.statestore.dafka.producer.Producer;
import io.statestore.dafka.spring.DafkaListenerEndpoint;
import io.statestore.dafka.spring.DafkaListenerRegistry;
import io.statestore.dafka.store.Store;
import io.statestore.dafka.tower.Tower;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * Health of this application's Dafka nodes and listeners. Reports DOWN once a producer, a
 * store, or the embedded tower has failed, or an error handler has stopped a listener. A
 * node without peers is healthy, as is a listener that the application has stopped.
 * Details show only the types of failures, because messages may contain values.
 */
class DafkaHealthIndicator extends AbstractHealthIndicator {

	private final StartedBeans started;

	private final DafkaListenerRegistry listeners;

	DafkaHealthIndicator(StartedBeans started, DafkaListenerRegistry listeners) {
		super("Dafka health check failed");
		this.started = started;
		this.listeners = listeners;
	}

	@Override
	protected void doHealthCheck(Health.Builder builder) {
		builder.up();
		parts(builder, "tower", Tower.class, Tower::failure, (it) -> "forwarded " + it.beacons() + " beacons");
		parts(builder, "producer", Producer.class, Producer::failure, (it) -> peers(it.metrics().node().peers()));
		parts(builder, "store", Store.class, Store::failure, (it) -> peers(it.metrics().node().peers()));
		Map<String, String> listeners = new TreeMap<>();
		for (DafkaListenerEndpoint listener : this.listeners.all()) {
			Throwable failure = listener.failure();
			if (failure != null) {
				builder.down();
			}
			listeners.put(listener.id(), (failure != null) ? failed(failure)
					: listener.isRunning() ? peers(listener.metrics().peers()) : "stopped");
		}
		if (!listeners.isEmpty()) {
			builder.withDetail("listeners", listeners);
		}
	}

	private <T> void parts(Health.Builder builder, String name, Class<T> type,
			Function<T, @Nullable Throwable> failures, Function<T, String> details) {
		for (T part : this.started.of(type)) {
			Throwable failure = failures.apply(part);
			if (failure != null) {
				builder.down();
			}
			builder.withDetail(name, (failure != null) ? failed(failure) : details.apply(part));
		}
	}

	private static String failed(Throwable failure) {
		return "failed with " + failure.getClass().getName();
	}

	private static String peers(int peers) {
		return "knows " + peers + " peers";
	}

}
