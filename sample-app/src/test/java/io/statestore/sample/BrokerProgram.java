package io.statestore.sample;

import io.statestore.broker.StateStoreBroker;

/** Program with a broker, which tests can kill. Its argument is the port. */
final class BrokerProgram {

	private BrokerProgram() {
	}

	public static void main(String[] arguments) {
		StateStoreBroker broker = StateStoreBroker.builder().port(Integer.parseInt(arguments[0])).start();
		System.out.println("port " + broker.port());
		broker.stopped().join();
	}

}
