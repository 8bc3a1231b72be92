package io.statestore.sample.room;

import java.nio.file.Path;

import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.storage.StorageOptions;
import io.statestore.history.HistoryJournal;
import io.statestore.history.StateHistory;

import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * Our broker, in this process, with a store on disk (docs/durability.md) and its history
 * (docs/history.md). An application whose broker need not be restarted sets properties
 * instead: {@code statestore.embedded.*} and {@code statestore.history.*}.
 *
 * @param directory directory of the store and the history
 */
record EmbeddedServer(Path directory) implements BrokerServer {

	private static final long RETENTION_BYTES = 64 << 20;

	@Override
	public BrokerServer.Running start(int port) {
		HistoryJournal journal = null;
		Running running = null;
		try {
			journal = HistoryJournal.builder(this.directory.resolve("history")).retentionBytes(RETENTION_BYTES).start();
			StateStoreBroker broker = StateStoreBroker.builder()
				.port(port)
				.storage(StorageOptions.in(this.directory.resolve("store")))
				.journal(journal)
				.start();
			running = new Running(broker, journal);
			return running;
		}
		catch (RuntimeException ex) {
			throw new InvalidConfigurationPropertyValueException("sample.directory", this.directory,
					"The broker could not be started: " + ex.getMessage()
							+ ". If another control room uses the directory, stop it, or choose another one, such as "
							+ "--sample.directory=target/line");
		}
		finally {
			if (running == null && journal != null) {
				journal.close();
			}
		}
	}

	/** The broker and its journal. */
	private record Running(StateStoreBroker broker, HistoryJournal journal) implements BrokerServer.Running {

		@Override
		public StateHistory history() {
			return this.journal.history();
		}

		@Override
		public void close() {
			try {
				this.broker.close();
			}
			finally {
				this.journal.close();
			}
		}

	}

}
