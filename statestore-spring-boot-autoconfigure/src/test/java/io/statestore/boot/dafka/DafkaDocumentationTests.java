package io.statestore.boot.dafka;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import io.statestore.dafka.DafkaRecord;
import io.statestore.dafka.Position;
import io.statestore.dafka.spring.DafkaErrorHandler;
import io.statestore.dafka.spring.DafkaHeaders;
import io.statestore.dafka.spring.DafkaListener;
import io.statestore.dafka.spring.DafkaListenerRegistry;
import io.statestore.dafka.spring.DafkaTemplate;
import io.statestore.test.DocumentedSnippets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.stereotype.Service;

import static org.assertj.core.api.Assertions.assertThat;

/** Compiles the snippets of {@code docs/dafka.md}, and runs those for Spring. */
@Timeout(120)
class DafkaDocumentationTests {

	private static final Log logger = new Log(new LinkedBlockingQueue<>());

	@Test
	void containsEverySnippet() throws Exception {
		DocumentedSnippets.assertAllIn("dafka.md", 10, DafkaDocumentationTests.class,
				DafkaNodesDocumentationTests.class, HistoryDocumentationTests.class);
	}

	@Test
	void everyPropertyOnPageExists() throws Exception {
		String metadata = Files.readString(Path.of("target/classes/META-INF/spring-configuration-metadata.json"));
		String page = Files.readString(Path.of("../docs/dafka.md")).replaceAll("(?s)### Health and metrics.*", "");
		assertThat(Pattern.compile("(?<!\\.)\\bdafka\\.[a-z]+[.-][a-z.-]*[a-z]")
			.matcher(page)
			.results()
			.map(MatchResult::group)).hasSizeGreaterThan(8)
			.allSatisfy((name) -> assertThat(metadata).contains('"' + name + '"'));
	}

	@Test
	void sendsAndListens() {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(JacksonAutoConfiguration.class,
					EmbeddedDafkaAutoConfiguration.class, DafkaAutoConfiguration.class))
			.withPropertyValues("dafka.embedded.enabled=true", "dafka.consumer.offset-reset=earliest")
			.withUserConfiguration(Snippets.class)
			.withBean(Oven.class)
			.run((context) -> {
				assertThat(context.getBean(Oven.class).report(180)).succeedsWithin(Duration.ofSeconds(30));
				assertThat(List.of(logger.next(), logger.next())).containsExactlyInAnyOrder("oven-1 0", "1 0");
				DafkaListenerRegistry registry = context.getBean(DafkaListenerRegistry.class);
				registry.stop("display");
				registry.start("display");
				long behind = registry.get("display").metrics().lag();
				assertThat(behind).isNotNegative();
			});
	}

	record Reading(String oven, double celsius) {
	}

	@Service
	static class Oven {

		private final DafkaTemplate dafka;

		Oven(DafkaTemplate dafka) {
			this.dafka = dafka;
		}

		CompletableFuture<Position> report(double celsius) {
			return this.dafka.send("ovens", new Reading("oven-1", celsius));
		}

		@DafkaListener(id = "display", topics = "ovens", offsetReset = "earliest")
		void show(Reading reading, @Header(DafkaHeaders.OFFSET) long offset) {
			logger.info("{} sent its reading {}", reading.oven(), offset);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Snippets {

		@DafkaListener(id = "archive", topics = "ovens", batch = true, errorHandler = "patient")
		void archive(List<Reading> readings, List<DafkaRecord> records) {
			logger.info("{} readings up to {}", readings.size(), records.get(records.size() - 1).offset());
		}

		@Bean
		DafkaErrorHandler patient() {
			return DafkaErrorHandler.retry(3, Duration.ofSeconds(1), DafkaErrorHandler.stop());
		}

	}

	/** Setup with a customizer. */
	static class Customizers {

		@Bean
		DafkaStoreBuilderCustomizer store() {
			return (store) -> store.bindPort(5560).skipTimeout(Duration.ofMinutes(10));
		}

	}

	/** Stand-in for a logger. */
	record Log(BlockingQueue<String> lines) {

		void info(String format, Object first, Object second) {
			this.lines.add(first + " " + second);
		}

		String next() throws InterruptedException {
			return String.valueOf(this.lines.poll(30, TimeUnit.SECONDS));
		}

	}

}
