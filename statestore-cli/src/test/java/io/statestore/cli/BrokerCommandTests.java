package io.statestore.cli;

import io.statestore.broker.StateStoreBroker;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The commands on a broker of this project. */
class BrokerCommandTests extends CommandContract {

	private static StateStoreBroker broker;

	@BeforeAll
	static void start() {
		broker = StateStoreBroker.builder().port(0).start();
	}

	@AfterAll
	static void stop() {
		broker.close();
	}

	@Override
	Cli cli() {
		return Cli.on(broker.port());
	}

}
