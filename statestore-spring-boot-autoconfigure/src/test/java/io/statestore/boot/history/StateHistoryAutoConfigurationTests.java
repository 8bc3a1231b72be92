package io.statestore.boot.history;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import io.statestore.boot.EmbeddedStateStoreAutoConfiguration;
import io.statestore.boot.StateStoreAutoConfiguration;
import io.statestore.boot.dafka.DafkaAutoConfiguration;
import io.statestore.boot.dafka.EmbeddedDafkaAutoConfiguration;
import io.statestore.broker.StateStoreBroker;
import io.statestore.client.StateStoreTemplate;
import io.statestore.dafka.TowerAddress;
import io.statestore.dafka.tower.Tower;
import io.statestore.history.HistoryJournal;
import io.statestore.history.HistorySnapshot;
import io.statestore.history.StateHistory;
import io.statestore.protocol.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.awaitility.Awaitility.await;

class StateHistoryAutoConfigurationTests {

	@TempDir
	Path directory;

	private final ApplicationContextRunner history = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(JacksonAutoConfiguration.class, EmbeddedDafkaAutoConfiguration.class,
				DafkaAutoConfiguration.class, StateHistoryAutoConfiguration.class,
				EmbeddedStateStoreAutoConfiguration.class, StateStoreAutoConfiguration.class))
		.withPropertyValues("statestore.history.enabled=true");

	private ApplicationContextRunner broker() {
		return this.history.withPropertyValues("statestore.embedded.enabled=true",
				"statestore.history.directory=" + this.directory);
	}

	@Test
	void isOptIn() {
		broker().withPropertyValues("statestore.history.enabled=false")
			.run((context) -> assertThat(context).hasSingleBean(StateStoreBroker.class)
				.doesNotHaveBean(HistoryJournal.class)
				.doesNotHaveBean(StateHistory.class));
	}

	@Test
	void keepsHistoryOfEmbeddedBrokerAcrossRestart() {
		broker().run((context) -> context.getBean(StateStoreTemplate.class).set("ovens/1", "on"));
		broker().run((context) -> {
			StateStoreTemplate template = context.getBean(StateStoreTemplate.class);
			template.set("ovens/2", "on");
			StateHistory history = context.getBean(StateHistory.class);
			await("the change")
				.untilAsserted(() -> assertThat(history.rebuild().entries()).containsOnlyKeys(Bytes.of("ovens/2")));
			assertThat(context.getBean(HistoryJournal.class).size()).isEqualTo(4);
		});
	}

	@Test
	void otherApplicationReadsHistoryOverTower() {
		try (Tower tower = Tower.builder().bindHost("127.0.0.1").inPort(0).outPort(0).start()) {
			String towers = "dafka.towers=" + towers(tower.address());
			broker().withPropertyValues(towers, "dafka.bind-host=127.0.0.1").run((context) -> {
				context.getBean(StateStoreTemplate.class).set("ovens/1", "on");
				StateHistory history = context.getBean(StateHistory.class);
				await("the change").until(() -> history.rebuild().entries().size() == 1);
				HistorySnapshot here = history.rebuild();
				this.history
					.withPropertyValues(towers, "dafka.bind-host=127.0.0.1", "statestore.start-timeout=0s",
							"statestore.port=1")
					.run((reader) -> {
						assertThat(reader).doesNotHaveBean(HistoryJournal.class);
						assertThat(reader.getBean(StateHistory.class).rebuild()).isEqualTo(here);
					});
			});
		}
	}

	private static String towers(TowerAddress tower) {
		return "127.0.0.1:" + tower.inPort() + ':' + tower.outPort();
	}

	@Test
	void worksWithEmbeddedTower() {
		broker()
			.withPropertyValues("dafka.embedded.enabled=true", "dafka.embedded.in-port=0", "dafka.embedded.out-port=0")
			.run((context) -> {
				context.getBean(StateStoreTemplate.class).set("ovens/1", "on");
				assertThat(context.getBean(HistoryJournal.class).failure()).isNull();
				StateHistory history = context.getBean(StateHistory.class);
				await("the change").until(() -> history.rebuild().entries().size() == 1);
			});
	}

	@Test
	void namesMissingPropertyOrDependency() {
		this.history.withPropertyValues("statestore.embedded.enabled=true")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("statestore.history.directory")
				.hasMessageContaining("must name the directory"));
		broker().withClassLoader(new FilteredClassLoader("org.rocksdb"))
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("Add the dependency org.rocksdb:rocksdbjni"));
		broker().withClassLoader(new FilteredClassLoader("io.statestore.history"))
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("Add the dependency io.statestore:statestore-history"));
	}

	@Test
	void refusesFsyncBeforeReplies() {
		for (String fsync : List.of("batch", "record")) {
			broker().withPropertyValues("statestore.history.fsync=" + fsync)
				.run((context) -> assertThat(context).getFailure()
					.rootCause()
					.hasMessageContaining("statestore.history.fsync")
					.hasMessageContaining("set 'statestore.embedded.directory'"));
		}
		broker().withPropertyValues("statestore.history.fsync=never")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void namesInvalidProperty() {
		for (String bad : List.of("retention-time=0s", "retention-size=0B", "retention-size=-1B", "topic=")) {
			broker().withPropertyValues("statestore.history." + bad).run((context) -> namesProperty(context, bad));
		}
		for (String bad : List.of("partition=", "topic=")) {
			this.history.withPropertyValues("statestore.history." + bad).run((context) -> namesProperty(context, bad));
		}
		broker().withPropertyValues("dafka.towers=localhost", "statestore.history.bind-port=70000")
			.run((context) -> namesProperty(context, "bind-port=70000"));
		Path file = this.directory.resolve("file");
		broker()
			.withInitializer(
					(context) -> assertThatNoException().isThrownBy(() -> Files.writeString(file, "no directory")))
			.withPropertyValues("statestore.history.directory=" + file)
			.run((context) -> namesProperty(context, "directory=" + file));
	}

	private static void namesProperty(AssertableApplicationContext context, String bad) {
		assertThat(context).as(bad).hasFailed();
		Throwable failure = context.getStartupFailure();
		assertThat(failure).as(bad).hasStackTraceContaining("statestore.history." + bad.substring(0, bad.indexOf('=')));
	}

	@Test
	void namesMissingBrokerDependency() {
		broker().withClassLoader(new FilteredClassLoader("io.statestore.broker"))
			.run((context) -> assertThat(context).getFailure().hasStackTraceContaining("statestore-broker"));
	}

}
