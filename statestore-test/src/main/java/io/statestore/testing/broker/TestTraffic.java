package io.statestore.testing.broker;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;

import io.statestore.broker.server.UserProperty;
import io.statestore.protocol.ProtocolDialect;
import org.jspecify.annotations.Nullable;

/**
 * Shared state of the connections of a test broker.
 *
 * @param rules the faults in effect
 * @param expiringKeys keys with an expiry
 * @param absent clients that a fault has disconnected, and that are still absent
 * @param scheduler ends the delays of messages
 * @param protocolDialect the form of replies
 * @param wireFaults whether clients may request faults
 * @param broker restarts the broker
 */
record TestTraffic(FaultRules rules, ExpiringKeys expiringKeys, Set<String> absent, ScheduledExecutorService scheduler,
		ProtocolDialect protocolDialect, boolean wireFaults, BrokerControl broker) {

	/**
	 * Returns the fault that a request contains.
	 * @return the fault, {@code null} for none, or if clients may not request faults
	 * @throws IllegalArgumentException if the fault is invalid
	 */
	@Nullable WireFault wireFault(List<UserProperty> properties) {
		return this.wireFaults ? WireFault.in(properties) : null;
	}

	/** Restarts the broker on a thread of its own, because a restart blocks. */
	void restart(boolean keepsContent) {
		Thread thread = new Thread(() -> this.broker.restart(keepsContent), "statestore-test-restart");
		thread.setDaemon(true);
		thread.start();
	}

}
