package io.statestore.broker.conformance;

import java.io.IOException;
import java.nio.file.Path;
import java.util.function.UnaryOperator;

import io.statestore.cluster.BrokerCluster;

/** A follower in a cluster of three brokers. */
final class TestedFollower implements TestedServer {

	private final BrokerCluster cluster;

	private final int port;

	TestedFollower(Path directory) throws IOException {
		this.cluster = new BrokerCluster(directory, UnaryOperator.identity());
		this.port = this.cluster.broker(this.cluster.follower()).port();
	}

	@Override
	public int port() {
		return this.port;
	}

	@Override
	public void close() {
		this.cluster.close();
	}

}
