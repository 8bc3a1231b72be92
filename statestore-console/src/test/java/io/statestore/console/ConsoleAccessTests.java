package io.statestore.console;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

import io.statestore.boot.StateStoreBrokerBuilderCustomizer;
import io.statestore.client.SetSpec;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.protocol.AdministrationAccess;
import io.statestore.protocol.Bytes;
import io.statestore.test.DocumentedSnippets;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/** What each user can read with every request of the console. */
@Timeout(120)
class ConsoleAccessTests {

	private static final int LINE_KEYS = 150;

	private static final int SECRET_KEYS = 250;

	private static ConfigurableApplicationContext application;

	private final HttpClient client = HttpClient.newHttpClient();

	@BeforeAll
	static void start(@TempDir Path directory) {
		application = ConsoleApplication.run(directory, LineAccess.class);
		StateStoreTemplate store = application.getBean(StateStoreTemplate.class);
		for (int i = 0; i < LINE_KEYS; i++) {
			store.set("line/" + i, "reading " + i);
		}
		for (int i = 0; i < SECRET_KEYS; i++) {
			store.set("secret/" + i, "hidden " + i);
		}
		store.set("line/json", "{\"degrees\":150.0}", (spec) -> spec.expire(Duration.ofHours(1)));
		store.set("secret/x", "hidden", SetSpec::ifAbsent);
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@Test
	void documentedRulesMatchTheseTests() throws IOException {
		DocumentedSnippets.assertAllIn("demo.md", 1, LineAccess.class);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "console.js", "console.css", "api/keys", "api/key?id=61", "api/history?id=61",
			"api/locks", "api/clients", "api/servers" })
	void refusesEveryRequestWithoutUser(String path) throws Exception {
		HttpResponse<String> response = get(null, path);
		assertThat(response.statusCode()).isEqualTo(401);
		assertThat(response.body()).startsWith("You are not signed in.");
		assertThat(get(ConsoleApplication.EVE, path).statusCode()).isEqualTo(403);
	}

	@Test
	void sendsPageWithStrictPolicy() throws Exception {
		HttpResponse<String> response = get(ConsoleApplication.LIN, "");
		assertThat(response.statusCode()).isEqualTo(200);
		assertThat(response.headers().firstValue("Content-Security-Policy").orElseThrow())
			.startsWith("default-src 'none'; script-src 'self'; style-src 'self';")
			.doesNotContain("unsafe");
		assertThat(response.headers().firstValue("Content-Type").orElseThrow()).startsWith("text/html");
		assertThat(response.body()).doesNotContainPattern("<script>|\\son\\w+=|style=");
	}

	@Test
	void showsEntryAndHistoryOfReadableKey() throws Exception {
		JsonNode entry = json(ConsoleApplication.LIN, "api/key?id=" + id("line/json"));
		assertThat(entry.at("/name").asString()).isEqualTo("line/json");
		assertThat(entry.at("/value/format").asString()).isEqualTo("json");
		assertThat(entry.at("/value/text").asString()).contains("\n").contains("150.0");
		assertThat(entry.at("/timeToLive").asLong()).isBetween(3_000_000L, 3_600_000L);
		assertThat(json(ConsoleApplication.LIN, "api/key?id=" + id("line/1")).at("/timeToLive").asLong()).isEqualTo(-1);
		JsonNode history = json(ConsoleApplication.LIN, "api/history?id=" + id("line/1"));
		assertThat(history.at("/complete").asBoolean()).isTrue();
		assertThat(history.at("/changes")).hasSize(1);
		assertThat(history.at("/changes/0/operation").asString()).isEqualTo("set");
		assertThat(history.at("/changes/0/value").asString()).isEqualTo("reading 1");
	}

	@Test
	void refusesHiddenKeyWhetherItExistsOrNot() throws Exception {
		for (String path : List.of("api/key?id=", "api/history?id=")) {
			HttpResponse<String> hidden = get(ConsoleApplication.LIN, path + id("secret/x"));
			HttpResponse<String> absent = get(ConsoleApplication.LIN, path + id("secret/absent"));
			assertThat(hidden.statusCode()).isEqualTo(absent.statusCode()).isEqualTo(403);
			assertThat(hidden.body()).isEqualTo(absent.body());
			assertThat(get(ConsoleApplication.ADA, path + id("secret/x")).statusCode()).isEqualTo(200);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "secret", "secret/*", "secret/x", "*", "", "[s]ecret/?", "?ecret/x" })
	void searchFindsNoHiddenKey(String search) throws Exception {
		List<String> found = search(ConsoleApplication.LIN, search);
		assertThat(found).allMatch((key) -> key.startsWith("line/"));
		assertThat(found).hasSize(search.matches("\\*?") ? LINE_KEYS + 1 : 0);
		assertThat(search(ConsoleApplication.ADA, search)).anyMatch((key) -> key.startsWith("secret/"));
	}

	@Test
	void pagesAreFullAndContainNoHiddenKey() throws Exception {
		JsonNode first = json(ConsoleApplication.LIN, "api/keys");
		assertThat(first.at("/keys")).hasSize(KeySearch.PAGE);
		JsonNode second = json(ConsoleApplication.LIN, "api/keys?from=" + first.at("/next").asString());
		assertThat(second.at("/keys")).hasSize(LINE_KEYS + 1 - KeySearch.PAGE);
		// An invented position does not reveal anything else.
		for (String position : List.of("0::" + id("secret/x"), "1::", "2::", "900::")) {
			assertThat(get(ConsoleApplication.LIN, "api/keys?from=" + position).body()).doesNotContain("secret",
					"hidden");
		}
	}

	@Test
	void findsKeysByPartAndPattern() throws Exception {
		assertThat(search(ConsoleApplication.LIN, "jso")).containsExactly("line/json");
		assertThat(search(ConsoleApplication.LIN, "line/1?")).hasSize(10);
		assertThat(search(ConsoleApplication.ADA, "*")).hasSize(LINE_KEYS + SECRET_KEYS + 2).doesNotHaveDuplicates();
	}

	@Test
	void locksAndServersAreFiltered() throws Exception {
		StateStoreLockRegistry locks = application.getBean(StateStoreLockRegistry.class);
		var line = locks.obtain("line/lock");
		var secret = locks.obtain("secret/lock");
		line.lock();
		secret.lock();
		try {
			assertThat(json(ConsoleApplication.ADA, "api/locks").findValuesAsString("name")).hasSize(2);
			assertThat(json(ConsoleApplication.LIN, "api/locks").findValuesAsString("name"))
				.containsExactly("line/lock");
		}
		finally {
			line.unlock();
			secret.unlock();
		}
		assertThat(get(ConsoleApplication.LIN, "api/servers").statusCode()).isEqualTo(403);
		assertThat(get(ConsoleApplication.LIN, "api/clients").statusCode()).isEqualTo(403);
		assertThat(json(ConsoleApplication.ADA, "api/clients").at("/0/client").asString()).isNotEmpty();
		assertThat(json(ConsoleApplication.ADA, "api/servers").at("/broker").asString()).startsWith("mqtt://");
	}

	@Test
	void explainsInvalidRequests() throws Exception {
		assertThat(get(ConsoleApplication.LIN, "api/keys?search=%5B").body()).startsWith("The pattern is invalid.");
		assertThat(get(ConsoleApplication.LIN, "api/key?id=x").statusCode()).isEqualTo(400);
		HttpResponse<String> absent = get(ConsoleApplication.LIN, "api/key?id=" + id("line/absent"));
		assertThat(absent.statusCode()).isEqualTo(404);
		assertThat(absent.body()).startsWith("The key does not exist.");
	}

	@Test
	void onlyAdministratorsReadWithoutRules(@TempDir Path directory) throws Exception {
		try (ConfigurableApplicationContext other = ConsoleApplication.run(directory)) {
			other.getBean(StateStoreTemplate.class).set("key", "value");
			assertThat(get(other, ConsoleApplication.ADA, "api/keys").body()).contains("key");
			assertThat(get(other, ConsoleApplication.LIN, "api/keys").statusCode()).isEqualTo(403);
			assertThat(get(other, null, "api/keys").statusCode()).isEqualTo(401);
		}
	}

	@Test
	void explainsWhatServerDoesNotShow(@TempDir Path directory) throws Exception {
		try (ConfigurableApplicationContext other = ConsoleApplication.run(directory, NoAdministration.class)) {
			HttpResponse<String> response = get(other, ConsoleApplication.ADA, "api/locks");
			assertThat(response.statusCode()).isEqualTo(409);
			assertThat(response.body()).startsWith("The server does not show this: ");
		}
	}

	private List<String> search(String user, String search) throws Exception {
		List<String> found = new ArrayList<>();
		String path = "api/keys?search=" + URLEncoder.encode(search, StandardCharsets.UTF_8);
		JsonNode page = json(user, path);
		page.at("/keys").forEach((key) -> found.add(key.at("/name").asString()));
		while (!page.at("/next").isNull()) {
			page = json(user, path + "&from=" + page.at("/next").asString());
			page.at("/keys").forEach((key) -> found.add(key.at("/name").asString()));
		}
		return found;
	}

	private JsonNode json(String user, String path) throws Exception {
		HttpResponse<String> response = get(user, path);
		assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
		return JsonMapper.shared().readTree(response.body());
	}

	private HttpResponse<String> get(@Nullable String user, String path) throws IOException, InterruptedException {
		return get(application, user, path);
	}

	private HttpResponse<String> get(ConfigurableApplicationContext target, @Nullable String user, String path)
			throws IOException, InterruptedException {
		HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(ConsoleApplication.url(target) + path));
		if (user != null) {
			request.header("Authorization", authorization(user));
		}
		return this.client.send(request.build(), BodyHandlers.ofString());
	}

	static String authorization(String user) {
		return "Basic " + Base64.getEncoder().encodeToString((user + ':' + user).getBytes(StandardCharsets.UTF_8));
	}

	private static String id(String key) {
		return Bytes.of(key).toHex();
	}

	@Configuration(proxyBeanMethods = false)
	static class NoAdministration {

		@Bean
		StateStoreBrokerBuilderCustomizer withoutAdministration() {
			return (builder) -> builder.administration(AdministrationAccess.OFF);
		}

	}

}
