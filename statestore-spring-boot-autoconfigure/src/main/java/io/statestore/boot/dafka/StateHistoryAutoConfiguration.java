package io.statestore.boot.dafka;

import java.nio.file.Path;

import io.statestore.broker.server.ChangeJournal;
import io.statestore.dafka.NodeOptions;
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
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration of the history: the journal of the embedded broker, where there is
 * one, and a {@link StateHistory} to read it, or that of a broker elsewhere.
 */
@AutoConfiguration(after = DafkaAutoConfiguration.class)
@ConditionalOnBooleanProperty("statestore.history.enabled")
public final class StateHistoryAutoConfiguration {

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass({ StateHistory.class, ChangeJournal.class })
	@ConditionalOnBooleanProperty("statestore.embedded.enabled")
	@EnableConfigurationProperties(StateHistoryProperties.class)
	static class JournalConfiguration {

		@Bean(destroyMethod = "close")
		@ConditionalOnMissingBean(ChangeJournal.class)
		HistoryJournal stateHistoryJournal(StateHistoryProperties properties, DafkaNodes nodes,
				DafkaConnectionDetails details, Environment environment) {
			Path directory = properties.getDirectory();
			if (directory == null) {
				throw new InvalidConfigurationPropertyValueException("statestore.history.directory", "",
						"It must name the directory in which the embedded broker keeps the history.");
			}
			DafkaNodes.requireRocksDb("statestore.history.directory", directory,
					"set statestore.history.enabled=false");
			NodeOptions network = isNetworkAskedFor(details, environment)
					? nodes.node("statestore.history.", properties.getBindPort()) : null;
			HistoryJournal.Builder journal = DafkaOptionFailures.naming("statestore.history.",
					() -> journal(properties, directory, network));
			try {
				return journal.start();
			}
			catch (StorageException ex) {
				InvalidConfigurationPropertyValueException invalid = new InvalidConfigurationPropertyValueException(
						"statestore.history.directory", directory, ex.getMessage());
				invalid.initCause(ex);
				throw invalid;
			}
		}

		private static HistoryJournal.Builder journal(StateHistoryProperties properties, Path directory,
				@Nullable NodeOptions network) {
			HistoryJournal.Builder journal = HistoryJournal.builder(directory)
				.topic(properties.getTopic())
				.fsync(properties.getFsync());
			if (properties.getRetentionTime() != null) {
				journal.retentionTime(properties.getRetentionTime());
			}
			if (properties.getRetentionSize() != null) {
				journal.retentionBytes(properties.getRetentionSize().toBytes());
			}
			return (network != null) ? journal.network(network) : journal;
		}

		/** The default tower is there for those who want one. */
		private static boolean isNetworkAskedFor(DafkaConnectionDetails details, Environment environment) {
			return !(details instanceof PropertiesDafkaConnectionDetails)
					|| Binder.get(environment).bind("dafka.towers", Bindable.listOf(String.class)).isBound();
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
			return DafkaOptionFailures.naming("statestore.history.", () -> {
				StateHistory.Builder history = StateHistory.over(nodes.node("dafka.", 0)).topic(properties.getTopic());
				return ((properties.getPartition() != null) ? history.partition(properties.getPartition()) : history)
					.build();
			});
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnMissingClass("io.statestore.history.StateHistory")
	static class MissingConfiguration {

		MissingConfiguration() {
			throw new InvalidConfigurationPropertyValueException("statestore.history.enabled", "true",
					"It needs the history, which is not on the class path. Add the dependency io.statestore:statestore-history, or remove the property.");
		}

	}

}
