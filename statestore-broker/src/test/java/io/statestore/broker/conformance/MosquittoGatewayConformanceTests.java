package io.statestore.broker.conformance;

import java.util.EnumSet;
import java.util.Set;

import io.statestore.broker.conformance.TestedServer.Difference;
import io.statestore.broker.gateway.StateStoreGateway;
import io.statestore.test.Mosquitto;
import io.statestore.test.RequiresProgram;

/** The gateway on Mosquitto. docs/deployment.md documents every difference. */
@RequiresProgram("mosquitto")
class MosquittoGatewayConformanceTests extends StateStoreConformance {

	@Override
	TestedServer start() {
		Mosquitto mosquitto = Mosquitto.start();
		StateStoreGateway gateway = StateStoreGateway.builder().host("127.0.0.1").port(mosquitto.port()).start();
		return new TestedServer() {

			@Override
			public int port() {
				return mosquitto.port();
			}

			@Override
			public Set<Difference> differences() {
				return EnumSet.allOf(Difference.class);
			}

			@Override
			public void close() {
				gateway.close();
				mosquitto.close();
			}

		};
	}

}
