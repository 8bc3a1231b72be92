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
import io.statestore.dafka.spring.DafkaListenerMetrics;
import io.statestore.dafka.spring.DafkaListenerRegistry;
import io.statestore.dafka.spring.DafkaTemplate;
import io.statestore.dafka.store.Store;
import io.statestore.dafka.store.StoreMetrics;
import org.jspecify.annotations.Nullable;

/**
 * Binds meters for producers, stores, and listeners. Beans that have not been started
 * count as 0; reading a meter does not start them.
 */
public final class DafkaMetrics implements MeterBinder {

	private static final String REFUSED_PEERS = "The number of connections closed, and messages dropped, because a"
			+ " peer violated the transport protocol or exceeded a limit";

	private final Supplier<List<DafkaTemplate>> templates;

	private final Supplier<List<Producer>> producers;

	private final Supplier<List<Store>> stores;

	private final DafkaListenerRegistry listeners;

	/**
	 * Creates a binder. The suppliers return the started beans.
	 * @param templates templates, which share their meters
	 * @param producers producers, which share their meters
	 * @param stores stores, which share their meters
	 * @param listeners listeners, each of which has its own meters
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
		count(registry, "dafka.template.bytes", "The size of the content passed to producers", "bytes",
				(self) -> self.templates.get().stream().mapToDouble(DafkaTemplate::bytes).sum());
		producer(registry, "sent", "The number of records published", ProducerMetrics::sent);
		producer(registry, "acknowledged", "The number of records acknowledged by a store",
				ProducerMetrics::acknowledged);
		producer(registry, "fetched", "The number of records sent again on request", ProducerMetrics::fetched);
		producer(registry, "forgotten", "The number of records evicted before a store acknowledged them",
				ProducerMetrics::forgotten);
		producer(registry, "abandoned", "The number of records that consumers still requested when producers closed",
				ProducerMetrics::abandoned);
		producer(registry, "dropped", "The number of commands dropped because a send queue was full",
				(metrics) -> metrics.node().dropped());
		producer(registry, "peers.refused", REFUSED_PEERS, (metrics) -> metrics.node().refused());
		gauge(registry, "dafka.producer.pending", "The memory used by records awaiting acknowledgment or completion",
				"bytes", (self) -> self.producers(ProducerMetrics::pendingBytes));
		store(registry, "stored", "The number of records written", StoreMetrics::stored);
		store(registry, "fetched", "The number of records sent on request", StoreMetrics::fetched);
		store(registry, "lost", "The number of records declared lost", StoreMetrics::lost);
		store(registry, "late", "The number of records that arrived after they had been declared lost",
				StoreMetrics::late);
		store(registry, "dropped", "The number of commands dropped because a send queue was full",
				(metrics) -> metrics.node().dropped());
		store(registry, "refused", "The number of messages dropped because of too many partitions",
				StoreMetrics::refused);
		store(registry, "peers.refused", REFUSED_PEERS, (metrics) -> metrics.node().refused());
		gauge(registry, "dafka.store.stuck", "The number of partitions whose next record is missing", null,
				(self) -> self.stores(StoreMetrics::stuck));
		gauge(registry, "dafka.store.size", "The size of the stored records", "bytes",
				(self) -> self.stores(StoreMetrics::bytes));
		this.listeners.onRegistered((listener) -> bind(registry, listener.id()));
	}

	private void bind(MeterRegistry registry, String id) {
		// An earlier listener may have had the same ID.
		if (registry.find("dafka.listener.lag").tag("id", id).gauge() != null) {
			return;
		}
		listener(registry, id, "records", "The number of records processed", DafkaListenerMetrics::records);
		listener(registry, id, "bytes", "The size of the content of processed records", DafkaListenerMetrics::bytes);
		listener(registry, id, "failures", "The number of failed listener calls", DafkaListenerMetrics::failures);
		listener(registry, id, "fetches", "The number of requests for missing records", DafkaListenerMetrics::fetches);
		listener(registry, id, "dropped", "The number of records dropped for lack of space and fetched later",
				DafkaListenerMetrics::dropped);
		listener(registry, id, "lost", "The number of records lost", DafkaListenerMetrics::lost);
		listener(registry, id, "refused", "The number of messages dropped because of too many partitions",
				DafkaListenerMetrics::refused);
		listener(registry, id, "peers.refused", REFUSED_PEERS, DafkaListenerMetrics::refusedPeers);
		Gauge.builder("dafka.listener.lag", this, (self) -> self.listener(id, DafkaListenerMetrics::lag))
			.description("The number of records still to be processed")
			.tag("id", id)
			.register(registry);
	}

	private void listener(MeterRegistry registry, String id, String name, String description,
			ToDoubleFunction<DafkaListenerMetrics> value) {
		FunctionCounter.builder("dafka.listener." + name, this, (self) -> self.listener(id, value))
			.description(description)
			.tag("id", id)
			.register(registry);
	}

	/**
	 * Returns a value from the listener that currently has this ID; NaN if there is none.
	 */
	private double listener(String id, ToDoubleFunction<DafkaListenerMetrics> value) {
		return this.listeners.all()
			.stream()
			.filter((listener) -> listener.id().equals(id))
			.mapToDouble((listener) -> value.applyAsDouble(listener.metrics()))
			.findFirst()
			.orElse(Double.NaN);
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

	private void gauge(MeterRegistry registry, String name, String description, @Nullable String unit,
			ToDoubleFunction<DafkaMetrics> value) {
		Gauge.builder(name, this, value).description(description).baseUnit(unit).register(registry);
	}

	private double producers(ToDoubleFunction<ProducerMetrics> value) {
		return this.producers.get().stream().mapToDouble((producer) -> value.applyAsDouble(producer.metrics())).sum();
	}

	private double stores(ToDoubleFunction<StoreMetrics> value) {
		return this.stores.get().stream().mapToDouble((store) -> value.applyAsDouble(store.metrics())).sum();
	}

}
