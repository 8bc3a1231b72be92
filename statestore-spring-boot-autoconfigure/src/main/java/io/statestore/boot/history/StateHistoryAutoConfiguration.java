package io.statestore.boot.history;

import java.nio.file.Path;

import io.statestore.boot.dafka.DafkaAutoConfiguration;
import io.statestore.boot.DirectoryProperties;
import io.statestore.boot.dafka.DafkaNodes;
import io.statestore.boot.dafka.DafkaOptions;
import io.statestore.broker.server.ChangeJournal;
import io.statestore.dafka.NodeOptions;
import io.statestore.dafka.store.Fsync;
import io.statestore.dafka.store.storage.StorageException;
import io.statestore.history.HistoryJournal;
import io.statestore.history.StateHistory;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.PropertyMapper;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.util.unit.DataSize;

/**
 * Auto-configuration of the history of the state store. With an embedded broker it
 * provides the journal of that broker and a {@link StateHistory} that reads it. Otherwise
 * it provides a {@link StateHistory} that reads the history of another broker.
 */
@AutoConfiguration(after = DafkaAutoConfiguration.class)
@ConditionalOnBooleanProperty("statestore.history.enabled")
public final class StateHistoryAutoConfiguration {

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass({ StateHistory.class, ChangeJournal.class })
	@ConditionalOnBooleanProperty("statestore.embedded.enabled")
	@EnableConfigurationProperties(StateHistoryProperties.class)
	static class JournalConfiguration {

		private static final String DIRECTORY = "statestore.history.directory";

		@Bean(destroyMethod = "close")
		@ConditionalOnMissingBean(ChangeJournal.class)
		HistoryJournal stateHistoryJournal(StateHistoryProperties properties, DafkaNodes nodes,
				Environment environment) {
			Path directory = directory(properties);
			requireNoFsync(properties);
			DafkaNodes.requireRocksDb(DIRECTORY, directory, "set statestore.history.enabled=false");
			NodeOptions network = nodes.hasConfiguredTowers(environment)
					? nodes.node("statestore.history.", properties.getBindPort()) : null;
			HistoryJournal.Builder journal = DafkaOptions.create("statestore.history.",
					() -> journal(properties, directory, network));
			try {
				return journal.start();
			}
			catch (StorageException ex) {
				throw DirectoryProperties.invalid(DIRECTORY, directory.toString(), String.valueOf(ex.getMessage()), ex);
			}
		}

		private static Path directory(StateHistoryProperties properties) {
			String directory = properties.getDirectory();
			if (directory == null) {
				throw new InvalidConfigurationPropertyValueException(DIRECTORY, "",
						"It must name the directory where the embedded broker keeps the history.");
			}
			return DirectoryProperties.path(DIRECTORY, directory,
					"Set a directory for the history, or set statestore.history.enabled=false");
		}

		@SuppressWarnings("deprecation")
		private static void requireNoFsync(StateHistoryProperties properties) {
			Fsync fsync = properties.getFsync();
			if (fsync != Fsync.NEVER) {
				throw new InvalidConfigurationPropertyValueException("statestore.history.fsync", fsync,
						"The history no longer delays replies, so it cannot force changes to disk before them. Remove"
								+ " the property. To keep all changes in a power failure, set"
								+ " 'statestore.embedded.directory'.");
			}
		}

		private static HistoryJournal.Builder journal(StateHistoryProperties properties, Path directory,
				@Nullable NodeOptions network) {
			HistoryJournal.Builder journal = HistoryJournal.builder(directory).topic(properties.getTopic());
			PropertyMapper map = PropertyMapper.get();
			map.from(properties::getRetentionTime).to(journal::retentionTime);
			map.from(properties::getRetentionSize).as(DataSize::toBytes).to(journal::retentionBytes);
			map.from(network).to(journal::network);
			return journal;
		}

		@Bean
		@ConditionalOnBean(HistoryJournal.class)
		@ConditionalOnMissingBean
		StateHistory stateHistory(HistoryJournal journal) {
			return journal.history();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(StateHistory.class)
	@ConditionalOnBooleanProperty(name = "statestore.embedded.enabled", havingValue = false, matchIfMissing = true)
	@EnableConfigurationProperties(StateHistoryProperties.class)
	static class ReaderConfiguration {

		@Bean
		@ConditionalOnMissingBean
		StateHistory stateHistory(StateHistoryProperties properties, DafkaNodes nodes) {
			NodeOptions node = nodes.node("dafka.", 0);
			return DafkaOptions.create("statestore.history.", () -> {
				StateHistory.Builder history = StateHistory.over(node).topic(properties.getTopic());
				PropertyMapper.get().from(properties::getPartition).to(history::partition);
				return history.build();
			});
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnMissingClass("io.statestore.history.StateHistory")
	static class MissingConfiguration {

		MissingConfiguration() {
			throw new InvalidConfigurationPropertyValueException("statestore.history.enabled", "true",
					"It requires the history, which is not on the class path. Add the dependency "
							+ "io.statestore:statestore-history, or remove the property.");
		}

	}

}
