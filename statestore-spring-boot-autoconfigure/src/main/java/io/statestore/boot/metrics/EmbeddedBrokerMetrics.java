package io.statestore.boot.metrics;

import java.util.function.ToDoubleFunction;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.memory.MemoryUse;
import io.statestore.broker.principal.PrincipalStatistics;
import io.statestore.broker.server.StateStoreStatistics;
import io.statestore.broker.server.StoreStatistics;
import io.statestore.protocol.ErrorReason;
import org.jspecify.annotations.Nullable;

/** Binds meters for the content, the requests, and the memory of the embedded broker. */
class EmbeddedBrokerMetrics implements MeterBinder {

	private static final String PREFIX = "statestore.broker.";

	private final StateStoreBroker broker;

	EmbeddedBrokerMetrics(StateStoreBroker broker) {
		this.broker = broker;
	}

	@Override
	public void bindTo(MeterRegistry registry) {
		Gauge.builder(PREFIX + "up", this.broker, (broker) -> broker.failure().isPresent() ? 0 : 1)
			.description("Whether the broker serves requests: 1, or 0 after an error has stopped it")
			.register(registry);
		bindContent(registry);
		bindRequests(registry);
		bindMemory(registry);
		bindPrincipals(registry);
		count(registry, "connections.refused", "The number of connections closed because their address had too many",
				Tags.empty(), (statistics) -> statistics.connections().refused());
		count(registry, "tls.failures", "The number of failed TLS handshakes", Tags.empty(),
				(statistics) -> statistics.connections().tlsFailures());
		count(registry, "logins", "The number of clients that have logged in, including re-authentications",
				Tags.empty(), (statistics) -> statistics.security().logins());
		count(registry, "logins.refused",
				"The number of clients refused because of their credentials, address, or client id", Tags.empty(),
				(statistics) -> statistics.security().refusedLogins());
		count(registry, "requests.denied", "The number of requests denied, and of watches ended, because of the rules",
				Tags.empty(), (statistics) -> statistics.security().deniedRequests());
		count(registry, "topics.denied",
				"The number of messages, filters of subscriptions, wills, and response topics denied", Tags.empty(),
				(statistics) -> statistics.security().deniedTopics());
	}

	private void bindContent(MeterRegistry registry) {
		content(registry, "connections", null, "The number of connected MQTT 5 clients", StoreStatistics::connections);
		content(registry, "keys", null, "The number of keys", StoreStatistics::keys);
		content(registry, "keys.max", null, "The maximum number of keys", StoreStatistics::maxKeys);
		content(registry, "size", "bytes", "The size of all keys and values", StoreStatistics::bytes);
		content(registry, "size.max", "bytes", "The maximum size of all keys and values", StoreStatistics::maxBytes);
		content(registry, "watches", null, "The number of watched keys, each counted once",
				StoreStatistics::watchedKeys);
		content(registry, "replies.size", "bytes", "The memory of remembered replies", StoreStatistics::replyBytes);
		content(registry, "replies.size.max", "bytes", "The maximum memory of remembered replies",
				StoreStatistics::maxReplyBytes);
	}

	private void bindRequests(MeterRegistry registry) {
		for (String command : this.broker.statistics().store().requestsByCommand().keySet()) {
			count(registry, "requests", "The number of requests received, including those without effect",
					Tags.of("command", command),
					(statistics) -> statistics.store().requestsByCommand().getOrDefault(command, 0L));
		}
		for (ErrorReason reason : ErrorReason.values()) {
			if (reason != ErrorReason.UNKNOWN) {
				count(registry, "refusals", "The number of requests refused with an error reply",
						Tags.of("error.type", reason.name()),
						(statistics) -> statistics.store().refusals().getOrDefault(reason, 0L));
			}
		}
		requests(registry, "invalid", "The number of requests without effect because they could not be answered",
				StoreStatistics::invalidRequests);
		requests(registry, "expired", "The number of requests without effect because they had expired",
				StoreStatistics::expiredRequests);
		requests(registry, "repeated", "The number of requests received again, answered with the remembered reply",
				StoreStatistics::repeatedRequests);
		count(registry, "replies.evicted", "The number of replies evicted early because their memory was full",
				Tags.empty(), (statistics) -> statistics.store().evictedReplies());
	}

	private void bindMemory(MeterRegistry registry) {
		gauge(registry, "memory.max", "bytes", "The maximum memory that clients may hold", Tags.empty(),
				(statistics) -> statistics.clientMemory().maxBytes());
		for (MemoryUse use : MemoryUse.values()) {
			Tags tags = Tags.of("use", TagValues.of(use));
			gauge(registry, "memory.used", "bytes", "The memory that clients hold", tags,
					(statistics) -> statistics.clientMemory().usedBytesByPurpose().getOrDefault(use, 0L));
			count(registry, "memory.refusals", "The number of times that clients were refused memory", tags,
					(statistics) -> statistics.clientMemory().refusals().getOrDefault(use, 0L));
		}
	}

	private void bindPrincipals(MeterRegistry registry) {
		gauge(registry, "principals", null, "The number of users with connections", Tags.empty(),
				(statistics) -> statistics.principals().principals());
		principals(registry, "keys.refused", "The number of new keys refused because their user had created too many",
				PrincipalStatistics::refusedKeys);
		principals(registry, "connections.refused", "The number of connections refused because their user had too many",
				PrincipalStatistics::refusedConnections);
		principals(registry, "requests.delayed",
				"The number of times that requests waited because their user had too many unanswered ones",
				PrincipalStatistics::delayedRequests);
	}

	private void principals(MeterRegistry registry, String name, String description,
			ToDoubleFunction<PrincipalStatistics> value) {
		count(registry, "principals." + name, description, Tags.empty(),
				(statistics) -> value.applyAsDouble(statistics.principals()));
	}

	private void content(MeterRegistry registry, String name, @Nullable String unit, String description,
			ToDoubleFunction<StoreStatistics> value) {
		gauge(registry, name, unit, description, Tags.empty(), (statistics) -> value.applyAsDouble(statistics.store()));
	}

	private void requests(MeterRegistry registry, String name, String description,
			ToDoubleFunction<StoreStatistics> value) {
		count(registry, "requests." + name, description, Tags.empty(),
				(statistics) -> value.applyAsDouble(statistics.store()));
	}

	private void gauge(MeterRegistry registry, String name, @Nullable String unit, String description, Tags tags,
			ToDoubleFunction<StateStoreStatistics> value) {
		Gauge.builder(PREFIX + name, this.broker, (broker) -> value.applyAsDouble(broker.statistics()))
			.description(description)
			.baseUnit(unit)
			.tags(tags)
			.register(registry);
	}

	private void count(MeterRegistry registry, String name, String description, Tags tags,
			ToDoubleFunction<StateStoreStatistics> value) {
		FunctionCounter.builder(PREFIX + name, this.broker, (broker) -> value.applyAsDouble(broker.statistics()))
			.description(description)
			.tags(tags)
			.register(registry);
	}

}
