package io.statestore.boot.metrics;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.micrometer.common.docs.KeyName;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.observation.docs.ObservationDocumentation;
import io.statestore.client.observability.StateStoreCallObservationConvention;
import io.statestore.client.observability.StateStoreListenerObservationConvention;

/** Tables of meters and observations, generated from the code. */
final class ObservabilityReference {

	private static final Path SOURCES = Path.of("../statestore-client/src/main/java");

	/** Matches the Javadoc of a constant and the name given to the constant. */
	private static final Pattern KEY = Pattern.compile("/\\*\\*([^/]*)\\*/\\s*\\w+\\(\"([^\"]+)\"\\)");

	/** Not public, because the names of keys are not public either. */
	private static final Class<?> DOCUMENTATION = documentation();

	/** Tags whose values are chosen by the application. */
	private static final Set<String> NAMES = Set.of("host", "name", "role");

	private ObservabilityReference() {
	}

	private static Class<?> documentation() {
		try {
			return Class.forName("io.statestore.client.observability.StateStoreObservationDocumentation");
		}
		catch (ClassNotFoundException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** Returns the table of meters. Observations have separate tables. */
	static String meters(Collection<Meter> meters) {
		Map<String, List<Meter>> byName = meters.stream()
			.collect(Collectors.groupingBy((meter) -> meter.getId().getName(), TreeMap::new, Collectors.toList()));
		StringBuilder table = new StringBuilder("| meter | type | tags | description |\n|---|---|---|---|\n");
		byName.forEach((name, all) -> table.append("| `%s` | %s%s | %s | %s |\n".formatted(name, type(all.get(0)),
				unit(all.get(0)), tags(all), all.get(0).getId().getDescription())));
		return table.toString();
	}

	/**
	 * Returns the tags of a meter, with their values unless the application names them.
	 */
	private static String tags(List<Meter> meters) {
		Map<String, Set<String>> values = new TreeMap<>();
		for (Meter meter : meters) {
			for (Tag tag : meter.getId().getTags()) {
				values.computeIfAbsent(tag.getKey(), (absent) -> new TreeSet<>()).add(tag.getValue());
			}
		}
		return values.entrySet()
			.stream()
			.map((tag) -> NAMES.contains(tag.getKey()) ? code(tag.getKey())
					: code(tag.getKey()) + ": " + tag.getValue().stream().collect(Collectors.joining(", ")))
			.collect(Collectors.joining("; "));
	}

	private static String type(Meter meter) {
		return meter.getId().getType().name().toLowerCase().replace('_', ' ');
	}

	private static String unit(Meter meter) {
		boolean time = meter.getId().getType() == Meter.Type.TIMER || meter instanceof TimeGauge;
		String unit = meter.getId().getBaseUnit();
		return time ? ", seconds" : (unit != null) ? ", " + unit : "";
	}

	private static String code(String name) {
		return '`' + name + '`';
	}

	/** Returns the names of all observations. */
	static Collection<String> observationNames() {
		return observations().keySet();
	}

	private static Map<String, ObservationDocumentation> observations() {
		return Arrays.stream(DOCUMENTATION.getEnumConstants())
			.map(ObservationDocumentation.class::cast)
			.collect(Collectors.toMap(ObservabilityReference::name, Function.identity(), (one, other) -> one,
					LinkedHashMap::new));
	}

	private static String name(ObservationDocumentation observation) {
		return (observation.getDefaultConvention() == StateStoreCallObservationConvention.class)
				? new StateStoreCallObservationConvention() {
				}.getName() : new StateStoreListenerObservationConvention() {
				}.getName();
	}

	private static String source(Class<?> type) {
		try {
			return Files.readString(SOURCES.resolve(type.getName().replace('.', '/') + ".java"));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Returns one table for each observation. */
	static String observationTables() {
		StringBuilder tables = new StringBuilder();
		observations().forEach((name, observation) -> {
			tables.append("### `%s`\n\n| key | cardinality | description |\n|---|---|---|\n".formatted(name));
			append(tables, observation.getLowCardinalityKeyNames(), "low");
			append(tables, observation.getHighCardinalityKeyNames(), "high");
			tables.append('\n');
		});
		return tables.toString().stripTrailing() + '\n';
	}

	private static void append(StringBuilder tables, KeyName[] keys, String cardinality) {
		if (keys.length == 0) {
			return;
		}
		Class<?> type = ((Enum<?>) keys[0]).getDeclaringClass();
		Map<String, String> descriptions = KEY.matcher(source(type))
			.results()
			.collect(Collectors.toMap((match) -> match.group(2), ObservabilityReference::description,
					(first, later) -> first));
		for (KeyName key : keys) {
			tables.append(
					"| `%s` | %s | %s |\n".formatted(key.asString(), cardinality, descriptions.get(key.asString())));
		}
	}

	private static String description(MatchResult match) {
		return match.group(1)
			.replaceAll("\\s*\\R\\s*\\*\\s*", " ")
			.replaceAll("\\{@code (\\{?\\w[^{}]*}?)}", "`$1`")
			.replaceAll(", see \\{@link \\w+}", "")
			.strip();
	}

}
