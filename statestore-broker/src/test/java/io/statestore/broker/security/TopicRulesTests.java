package io.statestore.broker.security;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

import io.statestore.protocol.TopicFilter;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class TopicRulesTests {

	/** Topics with up to four levels, some of which do not occur in any filter. */
	private static final List<String> TOPICS = topics();

	@ParameterizedTest
	@CsvSource({ "a, a", "#, a", "#, #", "#, +/a", "a/#, a", "a/#, a/b/c", "a/#, a/+/#", "a/+, a/b", "a/+, a/+",
			"+/b, a/b", "a/#, a/#", "$SYS/#, $SYS/a" })
	void coversFilter(String rule, String filter) {
		assertThat(rules(rule).cover(filter)).isTrue();
	}

	@ParameterizedTest
	@CsvSource({ "a, b", "a, #", "a/+, a/#", "a/+, a", "a, a/#", "+/b, +/+", "a/b, a/+", "#, $SYS/a", "+/a, $SYS/a",
			"#, $SYS/#", "a/#, +/b", "a, A", "a, a/" })
	void doesNotCoverFilter(String rule, String filter) {
		assertThat(rules(rule).cover(filter)).isFalse();
	}

	@Test
	void severalRulesTogetherCoverFilter() {
		assertThat(rules("a", "a/+/#").cover("a/#")).isTrue();
		assertThat(rules("a", "a/+", "a/+/+/#").cover("a/#")).isTrue();
		assertThat(rules("a/+/#").cover("a/#")).isFalse();
		assertThat(rules("a", "a/+", "a/+/+/+/#").cover("a/#")).isFalse();
	}

	@ParameterizedTest
	@ValueSource(strings = { "a/#/b", "a#", "+a/b", "#/", "a/b+" })
	void deniesInvalidFilter(String filter) {
		assertThat(rules("#").cover(filter)).isFalse();
	}

	@Test
	void decidesFilterWithManyLevels() {
		assertThat(rules("a/#").cover("a" + "/+".repeat(30_000) + "/#")).isTrue();
		assertThat(rules("b/#", "+/b").cover("a" + "/+".repeat(30_000) + "/#")).isFalse();
	}

	@Test
	void namesRulesThatPermitTogether() {
		assertThat(rules("x", "a", "a/+/#").covering("a/#")).extracting(Rule::line)
			.containsSubsequence(2, 3)
			.containsOnly(2, 3);
	}

	@Property(tries = 2_000)
	void agreesWithBruteForce(@ForAll("filters") List<String> rules, @ForAll("filter") String filter) {
		boolean covered = TOPICS.stream()
			.filter((topic) -> TopicFilter.matches(filter, topic))
			.allMatch((topic) -> rules.stream().anyMatch((rule) -> TopicFilter.matches(rule, topic)));
		assertThat(rules(rules.toArray(String[]::new)).cover(filter)).as("%s cover %s", rules, filter)
			.isEqualTo(covered);
	}

	@Property(tries = 1_000)
	void agreesWithBruteForceOnTopics(@ForAll("filters") List<String> rules, @ForAll("topic") String topic) {
		assertThat(rules(rules.toArray(String[]::new)).cover(topic))
			.isEqualTo(rules.stream().anyMatch((rule) -> TopicFilter.matches(rule, topic)));
	}

	@Provide
	Arbitrary<List<String>> filters() {
		return filter().list().ofMaxSize(5);
	}

	@Provide
	Arbitrary<String> topic() {
		return Arbitraries.of(TOPICS);
	}

	@Provide
	Arbitrary<String> filter() {
		Arbitrary<String> level = Arbitraries.of("a", "b", "+", "+", "$s");
		Arbitrary<String> levels = level.list().ofMinSize(1).ofMaxSize(3).map((list) -> String.join("/", list));
		return Arbitraries.oneOf(levels, levels.map((start) -> start + "/#"), Arbitraries.just("#"));
	}

	private static List<String> topics() {
		List<String> topics = new ArrayList<>();
		List<String> longest = new ArrayList<>(List.of("a", "b", "$s", "other"));
		for (int depth = 1; depth <= 5; depth++) {
			topics.addAll(longest);
			longest = longest.stream()
				.flatMap((topic) -> List.of("a", "b", "$s", "other").stream().map((level) -> topic + '/' + level))
				.toList();
		}
		return topics;
	}

	private static TopicRules rules(String... filters) {
		String text = Arrays.stream(filters).map("everyone read topic %s\n"::formatted).collect(Collectors.joining());
		List<Rule> rules = SelectedRules
			.of(RulesParser.parse(text.getBytes(StandardCharsets.UTF_8)), new Client("c", ClientPrincipal.ANONYMOUS))
			.permitting(RuleAction.SUBSCRIBE);
		return new TopicRules(rules.subList(0, filters.length / 2), rules.subList(filters.length / 2, filters.length));
	}

}
