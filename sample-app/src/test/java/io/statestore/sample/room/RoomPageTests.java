package io.statestore.sample.room;

import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.statestore.client.StateStoreException;
import io.statestore.sample.room.BrokerState.Role;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** The page, its buttons, and its history over HTTP. */
@Timeout(120)
@TestInstance(Lifecycle.PER_CLASS)
class RoomPageTests {

	private final ConfigurableApplicationContext context = FakeRoom.run(Map.of("server.port", 0));

	private final int port = this.context.getEnvironment().getRequiredProperty("local.server.port", Integer.class);

	private final FakeRoom.Actions actions = this.context.getBean(FakeRoom.Actions.class);

	private final HttpClient client = HttpClient.newHttpClient();

	@BeforeEach
	void fill() {
		FakeRoom.fill(this.context.getBean(FakeLine.class));
	}

	@AfterAll
	void close() {
		this.context.close();
	}

	@Test
	void firstResponseIsComplete() {
		String page = get("/").body();
		assertThat(page).contains("data-press=\"press-1\"", "data-press=\"press-2\"", "Started elsewhere",
				">1795428000123:4<", "5,120", "Stale write rejected", "data-degrees=\"150.0\"", "value=\"150.0\"",
				"data-key=\"line/batch\"", "press-4 has been killed.", "hx-post=\"/presses/press-2/resume\"",
				"hx-post=\"/presses/press-4/start\"", "<option value=\"bGluZS9iYXRjaA\">line/batch</option>");
	}

	@Test
	void refersToNothingElsewhereAndHasNoInlineScriptOrStyle() {
		String page = get("/").body();
		assertThat(page).doesNotContain("http://localhost", "https://", "//cdn", " style=", "<style", "javascript:",
				" onclick", "hx-on");
		assertThat(page.split("<script")).hasSize(4);
		assertThat(page).containsPattern("<script src=\"/webjars/htmx.org/dist/htmx.min.js\" defer[^>]*></script>");
	}

	@ParameterizedTest
	@ValueSource(strings = { "/room.css", "/room.js", "/icon.svg", "/webjars/htmx.org/dist/htmx.min.js",
			"/webjars/htmx-ext-sse/sse.js" })
	void servesAssets(String path) {
		assertThat(get(path).statusCode()).isEqualTo(200);
	}

	@Test
	void escapesKeysAndValues() {
		String page = get("/").body();
		assertThat(page).doesNotContain("<script>alert", "<b>", "\u0000")
			.contains("&lt;script&gt;alert(1)&lt;/script&gt;", "\\u0000&lt;b&gt;&quot;quoted&quot;&lt;/b&gt;");
		String history = get("/history/changes?key=" + ReadableText.encode("line/<i>")).body();
		assertThat(history).doesNotContain("<i>").contains("line/&lt;i&gt;");
	}

	@Test
	void setsHeaders() {
		HttpResponse<String> response = get("/");
		assertThat(response.headers().firstValue("Content-Security-Policy").orElseThrow())
			.contains("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'")
			.doesNotContain("unsafe");
		assertThat(response.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
	}

	@Test
	void buttonsReachTheLine() {
		for (String action : new String[] { "pause", "resume", "kill", "cut" }) {
			assertThat(post("/presses/press-1/" + action).statusCode()).isEqualTo(204);
			assertThat(this.actions.done()).contains(action + " press-1");
		}
		String key = "\u0000<b>\"quoted\"</b>";
		assertThat(post("/keys/delete?key=" + ReadableText.encode(key)).statusCode()).isEqualTo(204);
		assertThat(post("/setpoint?degrees=151.5").statusCode()).isEqualTo(204);
		assertThat(post("/broker/restart").statusCode()).isEqualTo(204);
		assertThat(this.actions.done()).contains("delete " + key, "setpoint 151.5", "restart");
	}

	@Test
	void failedButtonsSayWhy() {
		HttpResponse<String> running = post("/presses/press-1/start");
		assertThat(running.statusCode()).isEqualTo(409);
		assertThat(running.body()).isEqualTo("'press-1' is running already");
		assertThat(running.headers().firstValue("Content-Type").orElseThrow()).startsWith("text/plain");
		HttpResponse<String> unavailable = post("/leader/resign");
		assertThat(unavailable.statusCode()).isEqualTo(503);
		assertThat(unavailable.body()).isEqualTo("The store is unavailable");
		assertThat(post("/setpoint?degrees=500").body()).isEqualTo("The setpoint must be at most 200 °C");
		assertThat(post("/setpoint?degrees=warm").statusCode()).isEqualTo(400);
		assertThat(post("/keys/delete?key=%25").statusCode()).isEqualTo(400);
		assertThat(post("/presses/press-1/explode").statusCode()).isEqualTo(404);
	}

	@Test
	void refusesRequestsOfOtherSites() {
		int before = this.actions.done().size();
		HttpRequest form = HttpRequest.newBuilder(uri("/broker/restart")).POST(BodyPublishers.noBody()).build();
		assertThat(send(form).statusCode()).isEqualTo(403);
		assertThat(get("/broker/restart").statusCode()).isEqualTo(405);
		assertThat(this.actions.done()).hasSize(before);
	}

	@Test
	void acceptsOnlyLinksFromOtherSites() {
		for (String path : List.of("/history/keys", "/", "/room.js")) {
			assertThat(send(HttpRequest.newBuilder(uri(path))
				.header("Sec-Fetch-Site", "cross-site")
				.header("Sec-Fetch-Mode", "no-cors")
				.build()).statusCode()).as(path).isEqualTo(403);
		}
		assertThat(send(HttpRequest.newBuilder(uri("/"))
			.header("Sec-Fetch-Site", "cross-site")
			.header("Sec-Fetch-Mode", "navigate")
			.build()).statusCode()).isEqualTo(200);
		assertThat(send(HttpRequest.newBuilder(uri("/history/keys"))
			.header("Sec-Fetch-Site", "same-origin")
			.header("Sec-Fetch-Mode", "cors")
			.build()).statusCode()).isEqualTo(200);
	}

	@Test
	void acceptsOnlyNamesOfThisMachineAsHost() throws IOException {
		for (String host : new String[] { "localhost", "LOCALHOST:" + this.port, "127.0.0.1:" + this.port,
				"[::1]:80" }) {
			assertThat(status(host)).as(host).contains(" 200");
		}
		for (String host : new String[] { "attacker.example", "localhost.attacker.example:" + this.port, "10.0.0.1",
				"[::2]", "" }) {
			assertThat(status(host)).as(host).contains(" 403");
		}
	}

	@Test
	void showsHistoryOfKeyAndStoreAtMoment() {
		assertThat(get("/history/keys").body()).contains("line/deleted", "line/&lt;i&gt;");
		String changes = get("/history/changes?key=" + ReadableText.encode("line/batch")).body();
		assertThat(changes).contains("line/batch 99", "press-1", "press-2", "deleted", "expired", "type=\"range\"",
				"id=\"moment\"");
		assertThat(get("/history/store?time=1795428000123.7").body()).contains("at 1795428000123:2147483647:~",
				"line/setpoint");
		assertThat(get("/history/store?time=-5").statusCode()).isEqualTo(200);
		assertThat(get("/history/store?time=NaN").statusCode()).isEqualTo(200);
		assertThat(get("/history/changes?key=%25").statusCode()).isEqualTo(400);
	}

	@Test
	void asksForEventsOfThisStartOfTheRoom() {
		assertThat(get("/").body()).containsPattern(
				"sse-connect=\"/events\\?log=\\d+&amp;run=" + this.context.getBean(PageRenderer.class).run() + "\"");
	}

	@Test
	void saysWhenItShowsNotAllChanges() {
		assertThat(get("/history/changes?key=" + ReadableText.encode("line/deleted")).body())
			.contains(">Last 100 of 1234</span> changes of <code>line/deleted<");
		assertThat(get("/history/changes?key=" + ReadableText.encode("line/batch")).body())
			.contains(">100</span> changes of <code>line/batch<");
	}

	@Test
	void showsNoChangesWhenNoKeyIsSelected() {
		HttpResponse<String> response = get("/history/changes?key=");
		assertThat(response.statusCode()).isEqualTo(200);
		assertThat(response.body()).isBlank();
	}

	@Test
	void refusesThirdReadOfHistory() throws InterruptedException {
		LineHistory history = new LineHistory(FakeRoom.unreachable());
		List<Thread> reads = Stream.<Runnable>of(history::keys, () -> history.storeAt("1:0:~"))
			.map((read) -> new Thread(() -> assertThatExceptionOfType(StateStoreException.class).isThrownBy(read::run)))
			.toList();
		reads.forEach(Thread::start);
		Awaitility.await().until(() -> reads.stream().allMatch((read) -> read.getState() == Thread.State.WAITING));
		assertThatIllegalStateException().isThrownBy(() -> history.changes("key")).withMessageContaining("Try again");
		for (Thread read : reads) {
			read.interrupt();
			read.join();
		}
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(StateStoreException.class).isThrownBy(() -> history.changes("key"))
			.withMessageContaining("Interrupted");
		assertThat(Thread.interrupted()).isTrue();
	}

	@Test
	void showsThreeBrokers() {
		FakeLine line = this.context.getBean(FakeLine.class);
		assertThat(get("/").body()).contains("id=\"restart-broker\"").doesNotContain("id=\"brokers\"");
		line.brokers(List.of(new BrokerState("broker-1", Role.LEADER, 12), new BrokerState("broker-2", Role.WAITING, 0),
				new BrokerState("broker-3", Role.STOPPED, 11)));
		line.available(false);
		assertThat(get("/").body())
			.contains("data-broker=\"broker-1\"", ">Leader<", ">Waiting<", ">Stopped<", ">12<",
					"hx-post=\"/brokers/broker-1/kill\"", "hx-post=\"/brokers/broker-3/start\"",
					"No connection to the store.")
			.doesNotContain("id=\"restart-broker\"", "The broker is offline");
		line.available(true);
		line.brokers(List.of());
		assertThat(post("/brokers/broker-1/kill").statusCode()).isEqualTo(204);
		assertThat(post("/brokers/broker-3/start").statusCode()).isEqualTo(204);
		assertThat(this.actions.done()).contains("kill broker-1", "start broker-3");
		assertThat(post("/brokers/broker-3/explode").statusCode()).isEqualTo(404);
	}

	@Test
	void showsAtMost500Keys() {
		FakeLine line = this.context.getBean(FakeLine.class);
		long before = line.keys().size();
		for (int i = 0; i < 600; i++) {
			line.put("many/" + i, "value");
		}
		String page = get("/").body();
		assertThat(page.split("<tr role=\"row\" id=")).hasSize(501);
		assertThat(page).contains("and " + (before + 100) + " more keys", (before + 600) + "</span> keys now");
		for (int i = 0; i < 600; i++) {
			line.remove("many/" + i);
		}
	}

	private String status(String host) throws IOException {
		try (Socket socket = new Socket("127.0.0.1", this.port)) {
			socket.getOutputStream()
				.write(("GET /room.js HTTP/1.1\r\nConnection: close\r\nHost: " + host + "\r\n\r\n")
					.getBytes(StandardCharsets.US_ASCII));
			String response = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
			return response.substring(0, response.indexOf('\r'));
		}
	}

	private URI uri(String path) {
		return URI.create("http://localhost:" + this.port + path);
	}

	private HttpResponse<String> get(String path) {
		return send(HttpRequest.newBuilder(uri(path)).build());
	}

	private HttpResponse<String> post(String path) {
		return send(
				HttpRequest.newBuilder(uri(path)).header("HX-Request", "true").POST(BodyPublishers.noBody()).build());
	}

	private HttpResponse<String> send(HttpRequest request) {
		try {
			return this.client.send(request, BodyHandlers.ofString());
		}
		catch (IOException ex) {
			throw new AssertionError(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new AssertionError(ex);
		}
	}

}
