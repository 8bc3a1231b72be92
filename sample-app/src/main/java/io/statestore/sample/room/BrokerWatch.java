package io.statestore.sample.room;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.statestore.client.mqtt.ConnectionListener;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.client.mqtt.internal.AdministrationClient;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * Requests the roles of three brokers, as {@code statestore cluster status} does:
 * docs/cluster.md. The leader answers.
 */
@Component
@ConditionalOnProperty(name = "sample.brokers", havingValue = "3")
class BrokerWatch implements ConnectionListener {

	private static final Duration TIMEOUT = Duration.ofSeconds(1);

	private final StateStoreConnection connection;

	private final Line line;

	private @Nullable AdministrationClient administration;

	private CompletableFuture<Void> latest = CompletableFuture.completedFuture(null);

	BrokerWatch(StateStoreConnection connection, Line line) {
		this.connection = connection;
		this.line = line;
		connection.addListener(this);
	}

	/** Does not block, and sends a request only after the answer to the former one. */
	@Scheduled(fixedDelay = 250)
	void poll() {
		if (this.administration == null) {
			this.administration = new AdministrationClient(this.connection);
		}
		if (this.latest.isDone()) {
			this.latest = this.administration.nodes(TIMEOUT)
				.exceptionally((failure) -> List.of())
				.thenAccept(this.line::brokerStatus);
		}
	}

	@Override
	public void disconnected(String cause) {
		this.line.brokerStatus(List.of());
	}

}
