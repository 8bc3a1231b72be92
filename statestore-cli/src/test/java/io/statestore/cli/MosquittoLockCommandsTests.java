package io.statestore.cli;

import io.statestore.broker.gateway.StateStoreGateway;
import io.statestore.test.Mosquitto;
import io.statestore.test.RequiresProgram;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The commands for locks and leaders on Mosquitto with a gateway. */
@RequiresProgram("mosquitto")
class MosquittoLockCommandsTests extends LockCommandsContract {

	private static Mosquitto mosquitto;

	private static StateStoreGateway gateway;

	@BeforeAll
	static void start() {
		mosquitto = Mosquitto.start();
		gateway = StateStoreGateway.builder().host("127.0.0.1").port(mosquitto.port()).administration(true).start();
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
	int port() {
		return mosquitto.port();
	}

}
