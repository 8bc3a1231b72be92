package io.statestore.broker.standalone;

import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.statestore.broker.memory.HeapPlan;
import io.statestore.broker.memory.Limits;
import io.statestore.broker.memory.MemoryStatistics;
import io.statestore.broker.memory.MemoryUse;
import io.statestore.broker.mqtt.MqttBrokerSettings;
import io.statestore.broker.mqtt.NetworkSettings;
import io.statestore.broker.principal.PrincipalLimits;
import io.statestore.broker.principal.PrincipalStatistics;
import io.statestore.broker.server.ConnectionStatistics;
import io.statestore.broker.server.StoreStatistics;
import io.statestore.broker.session.Sessions;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that {@code docs/limits.md} matches the options, defaults, purposes, and
 * counters.
 */
class LimitsDocumentationTests {

	private static final Pattern LIMIT = Pattern.compile("--(max-.*|.*memory.*)");

	private final String page = Files.readString(Path.of("../docs/limits.md"));

	LimitsDocumentationTests() throws IOException {
	}

	@Test
	void pageListsEveryLimitWithItsDefault() {
		Limits limits = new HeapPlan(256 << 20).limits();
		long perClient = limits.newBudget().maxBytesPerClient();
		Map<String, Long> defaults = new LinkedHashMap<>();
		defaults.put("--max-keys", limits.maxKeys());
		defaults.put("--max-size", limits.maxSize());
		defaults.put("--reply-memory", limits.replyMemory());
		defaults.put("--client-memory", limits.clientMemory());
		defaults.put("--memory-per-client", perClient);
		defaults.put("--max-keys-per-user", PrincipalLimits.DEFAULT.maxKeys(limits.maxKeys()));
		defaults.put("--max-connections-per-user", PrincipalLimits.DEFAULT.maxConnections());
		defaults.put("--max-requests-per-user", PrincipalLimits.DEFAULT.maxRequests());
		defaults.put("--max-packet-size", Math.min(16L << 20, perClient));
		defaults.put("--max-connect-size", (long) MqttBrokerSettings.DEFAULT_MAX_HEADER_SIZE);
		defaults.put("--max-properties-size", (long) MqttBrokerSettings.DEFAULT_MAX_HEADER_SIZE);
		defaults.put("--max-connections-per-address", (long) NetworkSettings.DEFAULT_CONNECTIONS_PER_ADDRESS);
		defaults.put("--max-session-expiry", Sessions.NO_EXPIRY);
		assertThat(documented(false)).isEqualTo(defaults);
		assertThat(limitsOf(new CommandLine(StandaloneBroker.class))).isEqualTo(new TreeSet<>(defaults.keySet()));
	}

	@Test
	void pageListsLimitsThatGatewayLacks() {
		CommandLine gateway = new CommandLine(StandaloneBroker.class).getSubcommands().get("gateway");
		assertThat(gateway).isNotNull();
		assertThat(new TreeSet<>(documented(true).keySet())).isEqualTo(limitsOf(gateway));
	}

	@Test
	void pageNamesEveryMemoryPurpose() {
		assertThat(MemoryUse.values()).allSatisfy((use) -> assertThat(this.page).contains("| `" + use + "` |"));
	}

	@Test
	void everyCounterOnPageExists() {
		List<String> names = Stream
			.of(StoreStatistics.class, MemoryStatistics.class, PrincipalStatistics.class, ConnectionStatistics.class)
			.flatMap((type) -> Arrays.stream(type.getRecordComponents()))
			.map(RecordComponent::getName)
			.toList();
		List<String> counters = Pattern.compile("`(store|clientMemory|principals|connections)\\.(\\w+)`")
			.matcher(this.page)
			.results()
			.map((counter) -> counter.group(2))
			.toList();
		assertThat(counters).hasSizeGreaterThan(10).isSubsetOf(names);
	}

	/** Returns the documented options and their defaults with a heap of 256 MiB. */
	private Map<String, Long> documented(boolean ofGateway) {
		return Pattern.compile("^\\|(.*?)\\|.*?\\| `(--[a-z-]+)` \\|.*?\\| (\\d+) \\|", Pattern.MULTILINE)
			.matcher(this.page)
			.results()
			.filter((row) -> !ofGateway || !row.group(1).contains("broker only"))
			.collect(Collectors.toMap((MatchResult row) -> row.group(2), (row) -> Long.valueOf(row.group(3))));
	}

	private static Set<String> limitsOf(CommandLine command) {
		return command.getCommandSpec()
			.options()
			.stream()
			.map(OptionSpec::longestName)
			.filter((name) -> LIMIT.matcher(name).matches())
			.collect(Collectors.toCollection(TreeSet::new));
	}

}
