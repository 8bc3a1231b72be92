package io.statestore.cli;

import io.statestore.broker.gateway.StateStoreGateway;
import io.statestore.test.Mosquitto;
import io.statestore.test.RequiresProgram;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The commands on Mosquitto with a gateway. */
@RequiresProgram("mosquitto")
class MosquittoCommandTests extends CommandContract {

	private static Mosquitto mosquitto;

	private static StateStoreGateway gateway;

	@BeforeAll
	static void start() {
		mosquitto = Mosquitto.start();
		gateway = StateStoreGateway.builder().host("127.0.0.1").port(mosquitto.port()).start();
	}

	@AfterAll
	static void stop() {
		if (gateway != null) {
			gateway.close();
		}
		if (mosquitto != null) {
			mosquitto.close();
		}
	}

	@Override
	Cli cli() {
		return Cli.on(mosquitto.port());
	}

}
