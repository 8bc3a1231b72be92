package io.statestore.sample.room;

import java.nio.file.Path;

import io.statestore.broker.StateStoreBroker;

import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * Our broker, in this process, with a store on disk (docs/durability.md) and its history
 * (docs/history.md). An application whose broker need not be restarted sets properties
 * instead: {@code statestore.embedded.*}.
 *
 * @param directory directory of the store and the history
 */
record EmbeddedServer(Path directory) implements BrokerServer {

	@Override
	public BrokerServer.Running start(int port) {
		try {
			return StateStoreBroker.builder()
				.port(port)
				.storage(BrokerServer.storage(this.directory.resolve("store")))
				.start()::close;
		}
		catch (RuntimeException ex) {
			throw new InvalidConfigurationPropertyValueException("sample.directory", this.directory,
					"The broker could not be started: " + ex.getMessage()
							+ ". If another control room uses the directory, stop it, or choose another one, such as "
							+ "--sample.directory=target/line");
		}
	}

}
