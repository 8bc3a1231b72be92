package io.statestore.dafka.spring.metrics;

import java.util.List;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.statestore.dafka.producer.Producer;
import io.statestore.dafka.producer.ProducerMetrics;
import io.statestore.dafka.spring.DafkaTemplate;
import io.statestore.dafka.spring.listener.DafkaListenerEndpoint;
import io.statestore.dafka.spring.listener.DafkaListenerMetrics;
import io.statestore.dafka.spring.listener.DafkaListenerRegistry;
import io.statestore.dafka.store.Store;
import io.statestore.dafka.store.StoreMetrics;
import org.jspecify.annotations.Nullable;

/**
 * Meters of producers, stores, and listeners. Components that are not started count as 0;
 * reading a meter starts none.
 */
public final class DafkaMetrics implements MeterBinder {

	private final Supplier<List<DafkaTemplate>> templates;

	private final Supplier<List<Producer>> producers;

	private final Supplier<List<Store>> stores;

	private final DafkaListenerRegistry listeners;

	/**
	 * Creates the meters.
	 * @param templates returns the started templates, whose bytes are summed
	 * @param producers returns the started producers, whose counters are summed
	 * @param stores returns the started stores, whose counters are summed
	 * @param listeners listeners, each with its own meters
	 */
	public DafkaMetrics(Supplier<List<DafkaTemplate>> templates, Supplier<List<Producer>> producers,
			Supplier<List<Store>> stores, DafkaListenerRegistry listeners) {
		this.templates = templates;
		this.producers = producers;
		this.stores = stores;
		this.listeners = listeners;
	}

	@Override
	public void bindTo(MeterRegistry registry) {
		count(registry, "dafka.template.bytes", "Size of record content passed to the producer", "bytes",
				(self) -> self.templates.get().stream().mapToDouble(DafkaTemplate::bytes).sum());
		producer(registry, "sent", "Records published", ProducerMetrics::sent);
		producer(registry, "acknowledged", "Records that a store acknowledged", ProducerMetrics::acknowledged);
		producer(registry, "fetched", "Records sent again on request", ProducerMetrics::fetched);
		producer(registry, "forgotten", "Records evicted without acknowledgment", ProducerMetrics::forgotten);
		producer(registry, "dropped", "Commands dropped for lack of room", (metrics) -> metrics.node().dropped());
		Gauge.builder("dafka.producer.pending", this, (self) -> self.producers(ProducerMetrics::pendingBytes))
			.description("Memory of records waiting for acknowledgment")
			.baseUnit("bytes")
			.register(registry);
		store(registry, "stored", "Records written", StoreMetrics::stored);
		store(registry, "fetched", "Records sent on request", StoreMetrics::fetched);
		store(registry, "lost", "Lost records", StoreMetrics::lost);
		store(registry, "dropped", "Commands dropped for lack of room", (metrics) -> metrics.node().dropped());
		store(registry, "refused", "Messages of partitions beyond the maximum", StoreMetrics::refused);
		Gauge.builder("dafka.store.stuck", this, (self) -> self.stores(StoreMetrics::stuck))
			.description("Partitions whose next record is missing")
			.register(registry);
		Gauge.builder("dafka.store.size", this, (self) -> self.stores(StoreMetrics::bytes))
			.description("Size of stored record content")
			.baseUnit("bytes")
			.register(registry);
		this.listeners.onRegistered((listener) -> bind(registry, listener));
	}

	private static void bind(MeterRegistry registry, DafkaListenerEndpoint listener) {
		listener(registry, listener, "records", "Processed records", DafkaListenerMetrics::records);
		listener(registry, listener, "bytes", "Size of processed record content", DafkaListenerMetrics::bytes);
		listener(registry, listener, "failures", "Failed calls", DafkaListenerMetrics::failures);
		listener(registry, listener, "fetches", "Requests for records", DafkaListenerMetrics::fetches);
		listener(registry, listener, "dropped", "Records dropped for lack of room, to be fetched later",
				DafkaListenerMetrics::dropped);
		listener(registry, listener, "lost", "Lost records", DafkaListenerMetrics::lost);
		Gauge.builder("dafka.listener.lag", listener, (it) -> it.metrics().lag())
			.description("Known records that are not processed")
			.tag("id", listener.id())
			.register(registry);
	}

	private static void listener(MeterRegistry registry, DafkaListenerEndpoint listener, String name,
			String description, ToDoubleFunction<DafkaListenerMetrics> value) {
		FunctionCounter.builder("dafka.listener." + name, listener, (it) -> value.applyAsDouble(it.metrics()))
			.description(description)
			.tag("id", listener.id())
			.register(registry);
	}

	private void producer(MeterRegistry registry, String name, String description,
			ToDoubleFunction<ProducerMetrics> value) {
		count(registry, "dafka.producer." + name, description, null, (self) -> self.producers(value));
	}

	private void store(MeterRegistry registry, String name, String description, ToDoubleFunction<StoreMetrics> value) {
		count(registry, "dafka.store." + name, description, null, (self) -> self.stores(value));
	}

	private void count(MeterRegistry registry, String name, String description, @Nullable String unit,
			ToDoubleFunction<DafkaMetrics> value) {
		FunctionCounter.builder(name, this, value).description(description).baseUnit(unit).register(registry);
	}

	private double producers(ToDoubleFunction<ProducerMetrics> value) {
		return this.producers.get().stream().mapToDouble((producer) -> value.applyAsDouble(producer.metrics())).sum();
	}

	private double stores(ToDoubleFunction<StoreMetrics> value) {
		return this.stores.get().stream().mapToDouble((store) -> value.applyAsDouble(store.metrics())).sum();
	}

}
