package io.statestore.boot.dafka;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

import io.statestore.dafka.producer.Producer;
import io.statestore.dafka.spring.listener.DafkaListenerEndpoint;
import io.statestore.dafka.spring.listener.DafkaListenerRegistry;
import io.statestore.dafka.store.Store;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * Down when a node has ended because of a failure, or a listener was stopped by its error
 * handler. A listener that was stopped by its id is well, and so is a node that knows no
 * other. Of failures only the types are told, because messages may repeat values.
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
		nodes(builder, "producer", Producer.class, Producer::failure, (it) -> it.metrics().node().peers());
		nodes(builder, "store", Store.class, Store::failure, (it) -> it.metrics().node().peers());
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

	private <T> void nodes(Health.Builder builder, String name, Class<T> type,
			Function<T, @Nullable Throwable> failures, Function<T, Integer> peers) {
		List<T> nodes = this.started.of(type);
		for (T node : nodes) {
			Throwable failure = failures.apply(node);
			if (failure != null) {
				builder.down();
			}
			builder.withDetail(name, (failure != null) ? failed(failure) : peers(peers.apply(node)));
		}
	}

	private static String failed(Throwable failure) {
		return "failed with " + failure.getClass().getName();
	}

	private static String peers(int peers) {
		return "knows " + peers + " others";
	}

}
