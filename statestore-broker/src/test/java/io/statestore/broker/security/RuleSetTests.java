package io.statestore.broker.security;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.statestore.protocol.Bytes;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class RuleSetTests {

	private static final Bytes KEY = Bytes.of("press-1/values/temperature");

	@Test
	void userConnectionsShareRules() {
		RuleSet rules = parse("users read key {username}/*\neveryone read key *x\neveryone read topic a/{clientId}");
		SelectedRules ada = rules.shared(ClientPrincipal.of("ada"));
		assertThat(rules.shared(ClientPrincipal.of("ada"))).isSameAs(ada);
		assertThat(rules.shared(ClientPrincipal.of("bob"))).isNotSameAs(ada);
		assertThat(ada.permitting(RuleAction.READ)).hasSize(2);
		assertThat(ada.permitting(RuleAction.SUBSCRIBE)).as("depends on the client id").isEmpty();
		assertThat(permissions(rules, "c", "ada").maySubscribe("a/c")).isTrue();
		assertThat(permissions(rules, "d", "ada").maySubscribe("a/c")).isFalse();
	}

	@Test
	void forgetsRulesForUsersWithoutConnections() {
		RuleSet rules = parse("users read key a");
		Permissions kept = permissions(rules, "c", "kept");
		assertThat(kept.mayRead(Bytes.of("a"))).isTrue();
		for (int i = 0; i < 1_000; i++) {
			permissions(rules, "c", "user-" + i).mayRead(Bytes.of("a"));
		}
		assertThat(rules.users()).isGreaterThan(1);
		await().until(() -> {
			System.gc();
			return rules.users() == 1;
		});
		assertThat(kept.mayRead(Bytes.of("a"))).isTrue();
	}

	@Test
	void combinesSharedAndClientRules() {
		RuleSet rules = parse("""
				everyone read topic a
				everyone read topic {clientId}/+
				everyone write topic a/#
				everyone read key {clientId}/*
				""");
		ClientPermissions client = permissions(rules, "a", "");
		assertThat(client.maySubscribe("a/#")).isFalse();
		assertThat(client.permitting(RuleAction.SUBSCRIBE, "a/+")).extracting(Rule::line).containsExactly(2);
		assertThat(client.permitting(RuleAction.SUBSCRIBE, "a")).extracting(Rule::line).containsExactly(1);
		assertThat(client.mayPublish("a/#")).isTrue();
		assertThat(client.mayRead(Bytes.of("a/b"))).isTrue();
		assertThat(client.mayRead(Bytes.of("b/b"))).isFalse();
	}

	@Test
	void patternWithVeryLongClientIdMatchesNothing() {
		RuleSet rules = parse("everyone read key {clientId}*\neveryone read topic {clientId}/#");
		String id = "i".repeat(1_024);
		assertThat(permissions(rules, id.substring(2), "").mayRead(Bytes.of(id))).isTrue();
		Permissions client = permissions(rules, id, "");
		assertThat(client.mayRead(Bytes.of(id))).isFalse();
		assertThat(client.maySubscribe(id + "/a")).isFalse();
	}

	@Test
	void measuresDecisionsByRuleCountAndKind() {
		long single = steps("users read key a*");
		assertThat(steps(repeat("users read key a%d*\n"))).isGreaterThan(50 * single);
		assertThat(steps(repeat("users read key *a%d*b\n"))).isGreaterThan(500 * single);
		assertThat(steps("users read key press-*\n" + repeat("users read key *a%d*b\n")))
			.as("without patterns with wildcards")
			.isEqualTo(single);
	}

	private static String repeat(String rule) {
		return IntStream.range(0, 100).mapToObj(rule::formatted).collect(Collectors.joining());
	}

	private static long steps(String text) {
		List<Long> steps = new ArrayList<>();
		permissions(parse(text), "c", "ada").mayRead(KEY, steps::add);
		return steps.stream().mapToLong(Long::longValue).sum();
	}

	private static ClientPermissions permissions(RuleSet rules, String clientId, String user) {
		return new ClientPermissions(() -> rules, new Client(clientId, new ClientPrincipal(user)));
	}

	private static RuleSet parse(String text) {
		return new RuleSet(RulesParser.parse(text.getBytes(StandardCharsets.UTF_8)));
	}

}
