package io.statestore.boot.metrics;

import java.util.function.Function;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.memory.MemoryStatistics;
import io.statestore.broker.memory.MemoryUse;
import io.statestore.broker.principal.PrincipalStatistics;
import io.statestore.broker.server.ConnectionStatistics;
import io.statestore.broker.server.SecurityStatistics;
import io.statestore.broker.server.StateStoreStatistics;
import io.statestore.broker.server.StoreStatistics;
import io.statestore.protocol.ErrorReason;

/** Binds meters for the embedded broker's content, requests, and memory. */
record EmbeddedBrokerMetrics(StateStoreBroker broker) implements MeterBinder {

	private static final String PREFIX = "statestore.broker.";

	@Override
	public void bindTo(MeterRegistry registry) {
		new Meters<>(registry, PREFIX, Tags.empty(), this.broker, Function.identity()).gauge("up",
				"Whether the broker serves requests: 1, or 0 after it has stopped because of an error",
				(broker) -> broker.failure().isPresent() ? 0 : 1);
		Meters<StateStoreBroker, StoreStatistics> store = meters(registry, StateStoreStatistics::store);
		bindContent(store);
		bindRequests(store);
		bindMemory(meters(registry, StateStoreStatistics::clientMemory));
		bindPrincipals(meters(registry, StateStoreStatistics::principals));
		bindConnections(meters(registry, StateStoreStatistics::connections));
		bindSecurity(meters(registry, StateStoreStatistics::security));
	}

	private <T> Meters<StateStoreBroker, T> meters(MeterRegistry registry, Function<StateStoreStatistics, T> part) {
		return new Meters<>(registry, PREFIX, Tags.empty(), this.broker, (broker) -> part.apply(broker.statistics()));
	}

	private static void bindContent(Meters<?, StoreStatistics> store) {
		store.gauge("connections", "The number of connected MQTT 5 clients", StoreStatistics::connections);
		store.gauge("keys", "The number of keys", StoreStatistics::keys);
		store.gauge("keys.max", "The maximum number of keys", StoreStatistics::maxKeys);
		store.gauge("size", "bytes", "The total size of all keys and values", StoreStatistics::bytes);
		store.gauge("size.max", "bytes", "The maximum total size of all keys and values", StoreStatistics::maxBytes);
		store.gauge("watches", "The number of watched keys, each counted once", StoreStatistics::watchedKeys);
		store.gauge("replies.size", "bytes", "The memory used by remembered replies", StoreStatistics::replyBytes);
		store.gauge("replies.size.max", "bytes", "The maximum memory for remembered replies",
				StoreStatistics::maxReplyBytes);
	}

	private void bindRequests(Meters<?, StoreStatistics> store) {
		for (String command : this.broker.statistics().store().requestsByCommand().keySet()) {
			store.tagged("command", command)
				.count("requests", "The number of requests received, including those without effect",
						(statistics) -> statistics.requestsByCommand().getOrDefault(command, 0L));
		}
		for (ErrorReason reason : ErrorReason.values()) {
			if (reason != ErrorReason.UNKNOWN) {
				store.tagged("error.type", reason.name())
					.count("refusals", "The number of requests refused with an error reply",
							(statistics) -> statistics.refusals().getOrDefault(reason, 0L));
			}
		}
		store.count("requests.invalid", "The number of requests that had no effect because they could not be answered",
				StoreStatistics::invalidRequests);
		store.count("requests.expired", "The number of requests that had no effect because they had expired",
				StoreStatistics::expiredRequests);
		store.count("requests.repeated",
				"The number of repeated requests, which are answered with the remembered reply",
				StoreStatistics::repeatedRequests);
		store.count("replies.evicted", "The number of replies evicted early because their memory was full",
				StoreStatistics::evictedReplies);
	}

	private static void bindMemory(Meters<?, MemoryStatistics> memory) {
		memory.gauge("memory.max", "bytes", "The maximum memory for clients", MemoryStatistics::maxBytes);
		for (MemoryUse use : MemoryUse.values()) {
			Meters<?, MemoryStatistics> part = memory.tagged("use", Meters.tagValue(use));
			part.gauge("memory.used", "bytes", "The memory used for clients",
					(statistics) -> statistics.usedBytesByPurpose().getOrDefault(use, 0L));
			part.count("memory.refusals", "The number of times that memory for a client was refused",
					(statistics) -> statistics.refusals().getOrDefault(use, 0L));
		}
	}

	private static void bindPrincipals(Meters<?, PrincipalStatistics> principals) {
		principals.gauge("principals", "The number of users with connections", PrincipalStatistics::principals);
		principals.count("principals.keys.refused",
				"The number of new keys refused because their user had created too many keys",
				PrincipalStatistics::refusedKeys);
		principals.count("principals.connections.refused",
				"The number of connections refused because their user had too many connections",
				PrincipalStatistics::refusedConnections);
		principals.count("principals.requests.delayed",
				"The number of times that requests waited because their user had too many unanswered requests",
				PrincipalStatistics::delayedRequests);
	}

	private static void bindConnections(Meters<?, ConnectionStatistics> connections) {
		connections.count("connections.refused",
				"The number of connections closed because their address had too many connections",
				ConnectionStatistics::refused);
		connections.count("tls.failures", "The number of failed TLS handshakes", ConnectionStatistics::tlsFailures);
	}

	private static void bindSecurity(Meters<?, SecurityStatistics> security) {
		security.count("logins", "The number of clients that have logged in, including re-authentications",
				SecurityStatistics::logins);
		security.count("logins.refused",
				"The number of clients refused because of their credentials, address, or client ID",
				SecurityStatistics::refusedLogins);
		security.count("requests.denied", "The number of requests denied and watches ended because of the rules",
				SecurityStatistics::deniedRequests);
		security.count("topics.denied",
				"The number of denied messages, subscription filters, wills, and response topics",
				SecurityStatistics::deniedTopics);
	}

}
