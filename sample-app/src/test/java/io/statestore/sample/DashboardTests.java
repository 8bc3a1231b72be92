package io.statestore.sample;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.statestore.client.StateStoreOperations;
import io.statestore.client.lock.FencedLock;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.test.RequiresProgram;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The Grafana dashboard and the Prometheus configuration in {@code docs/observability}.
 * Prometheus evaluates the dashboard, without Grafana.
 */
@Timeout(120)
class DashboardTests {

	private static final Path DOCS = Path.of("../docs");

	private static final Set<String> UNITS = Set.of("none", "short", "ops", "s", "bytes", "percentunit");

	private final JsonNode dashboard = new JsonMapper()
		.readTree(DOCS.resolve("observability/grafana-dashboard.json").toFile());

	@Test
	void panelsAreComplete() {
		List<Integer> ids = new ArrayList<>();
		for (JsonNode panel : this.dashboard.path("panels")) {
			ids.add(panel.path("id").asInt());
			assertThat(panel.path("title").asString()).isNotBlank();
			if (panel.path("type").asString().equals("row")) {
				continue;
			}
			assertThat(panel.path("type").asString()).isIn("stat", "timeseries");
			assertThat(panel.path("description").asString()).isNotBlank();
			assertThat(panel.at("/datasource/uid").asString()).isEqualTo("${datasource}");
			assertThat(panel.at("/fieldConfig/defaults/unit").asString()).isIn(UNITS);
			assertThat(panel.path("targets")).isNotEmpty()
				.allSatisfy((target) -> assertThat(target.path("expr").asString()).contains("{job=~\"$job\""))
				.extracting((target) -> target.path("refId").asString())
				.doesNotHaveDuplicates();
		}
		assertThat(ids).isNotEmpty().doesNotHaveDuplicates();
		assertThat(this.dashboard.at("/templating/list/0/type").asString()).isEqualTo("datasource");
	}

	@Test
	void panelsDoNotOverlap() {
		Map<String, String> cells = new LinkedHashMap<>();
		for (JsonNode panel : this.dashboard.path("panels")) {
			JsonNode position = panel.path("gridPos");
			int right = position.path("x").asInt() + position.path("w").asInt();
			assertThat(right).isLessThanOrEqualTo(24);
			for (int x = position.path("x").asInt(); x < right; x++) {
				for (int y = 0; y < position.path("h").asInt(); y++) {
					String cell = x + "," + (position.path("y").asInt() + y);
					assertThat(cells.put(cell, panel.path("title").asString())).as(cell).isNull();
				}
			}
		}
	}

	@Test
	@Tag("long")
	@RequiresProgram("prometheus")
	void everyExpressionHasData(@TempDir Path data, @TempDir Path folder) throws Exception {
		try (ConfigurableApplicationContext sample = run(data);
				Prometheus prometheus = Prometheus.start(folder,
						sample.getEnvironment().getProperty("local.server.port", ""))) {
			List<String> missing = expressions();
			assertThat(missing).hasSizeGreaterThan(30);
			Awaitility.await("data for all expressions").atMost(Duration.ofSeconds(40)).untilAsserted(() -> {
				use(sample);
				missing.removeIf((expression) -> hasData(prometheus.query(expression)));
				assertThat(missing).isEmpty();
			});
			assertThat(prometheus.rules()).hasSizeGreaterThan(5)
				.allSatisfy((rule) -> assertThat(rule.path("health").asString()).isEqualTo("ok"));
		}
	}

	/** Runs a press with the properties that the page starts with. */
	private static ConfigurableApplicationContext run(Path data) throws IOException {
		Matcher properties = Pattern.compile("```properties\\R(.*?)```", Pattern.DOTALL)
			.matcher(Files.readString(DOCS.resolve("monitoring.md")));
		assertThat(properties.find()).isTrue();
		Properties documented = new Properties();
		documented.load(new StringReader(properties.group(1)));
		List<String> arguments = new ArrayList<>(List.of("--statestore.leader.lease=1s",
				"--statestore.embedded.enabled=true", "--statestore.embedded.data-directory=" + data));
		documented.forEach((name, value) -> arguments.add("--" + name + '=' + value));
		return WebPress.run(arguments.toArray(String[]::new));
	}

	/** Makes the application call its listener and a lock. */
	private static void use(ApplicationContext sample) {
		sample.getBean(StateStoreOperations.class).set("line/setpoint", 150 + Math.random());
		FencedLock lock = sample.getBean(StateStoreLockRegistry.class).obtain("press");
		lock.lock();
		lock.unlock();
	}

	private List<String> expressions() {
		List<String> expressions = new ArrayList<>();
		for (JsonNode panel : this.dashboard.path("panels")) {
			for (JsonNode target : panel.path("targets")) {
				expressions.add(target.path("expr")
					.asString()
					.replace("$job", ".*")
					.replace("$instance", ".*")
					.replace("$__rate_interval", "5s"));
			}
		}
		return expressions;
	}

	private static boolean hasData(JsonNode samples) {
		for (JsonNode sample : samples) {
			if (!sample.at("/value/1").asString().equals("NaN")) {
				return true;
			}
		}
		return false;
	}

}
