package io.statestore.cli;

import io.statestore.broker.StateStoreBroker;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The commands for locks and leaders on the broker of this project. */
class BrokerLockCommandsTests extends LockCommandsContract {

	private static StateStoreBroker broker;

	@BeforeAll
	static void start() {
		broker = StateStoreBroker.builder().start();
	}

	@AfterAll
	static void stop() {
		broker.close();
	}

	@Override
	int port() {
		return broker.port();
	}

}
