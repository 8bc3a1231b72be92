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
 * Meters of producers, stores and listeners. What is not started yet counts as 0; asking
 * starts nothing.
 */
public final class DafkaMetrics implements MeterBinder {

	private final Supplier<List<DafkaTemplate>> templates;

	private final Supplier<List<Producer>> producers;

	private final Supplier<List<Store>> stores;

	private final DafkaListenerRegistry listeners;

	/**
	 * Each supplier gives those that are started.
	 * @param templates whose bytes to add up
	 * @param producers whose counts to add up
	 * @param stores whose counts to add up
	 * @param listeners each with meters of its own
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
		count(registry, "dafka.template.bytes", "Content given to the producer", "bytes",
				(self) -> self.templates.get().stream().mapToDouble(DafkaTemplate::bytes).sum());
		producer(registry, "sent", "Records published", ProducerMetrics::sent);
		producer(registry, "acknowledged", "Records that a store acknowledged", ProducerMetrics::acknowledged);
		producer(registry, "fetched", "Records sent again to who asked for them", ProducerMetrics::fetched);
		producer(registry, "forgotten", "Records let go of without acknowledgement", ProducerMetrics::forgotten);
		producer(registry, "dropped", "Commands that had no room", (metrics) -> metrics.node().dropped());
		Gauge.builder("dafka.producer.pending", this, (self) -> self.producers(ProducerMetrics::pendingBytes))
			.description("Memory held by records that wait for acknowledgement")
			.baseUnit("bytes")
			.register(registry);
		store(registry, "stored", "Records written", StoreMetrics::stored);
		store(registry, "fetched", "Records sent to who asked for them", StoreMetrics::fetched);
		store(registry, "lost", "Records given up", StoreMetrics::lost);
		store(registry, "dropped", "Commands that had no room", (metrics) -> metrics.node().dropped());
		store(registry, "refused", "Messages of too many partitions", StoreMetrics::refused);
		Gauge.builder("dafka.store.stuck", this, (self) -> self.stores(StoreMetrics::stuck))
			.description("Partitions of which nobody gives the next record")
			.register(registry);
		Gauge.builder("dafka.store.size", this, (self) -> self.stores(StoreMetrics::bytes))
			.description("Content kept")
			.baseUnit("bytes")
			.register(registry);
		this.listeners.onRegistered((listener) -> bind(registry, listener));
	}

	private static void bind(MeterRegistry registry, DafkaListenerEndpoint listener) {
		listener(registry, listener, "records", "Records done with", DafkaListenerMetrics::records);
		listener(registry, listener, "bytes", "Content of records done with", DafkaListenerMetrics::bytes);
		listener(registry, listener, "failures", "Calls that failed", DafkaListenerMetrics::failures);
		listener(registry, listener, "fetches", "Requests for records", DafkaListenerMetrics::fetches);
		listener(registry, listener, "dropped", "Records that came before there was room, fetched later",
				DafkaListenerMetrics::dropped);
		listener(registry, listener, "lost", "Records that are gone", DafkaListenerMetrics::lost);
		Gauge.builder("dafka.listener.lag", listener, (it) -> it.metrics().lag())
			.description("Records known but not done with")
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
