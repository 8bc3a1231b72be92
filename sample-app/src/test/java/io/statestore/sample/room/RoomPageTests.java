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

/** The page and its buttons over HTTP. */
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
		Awaitility.await()
			.untilAsserted(() -> assertThat(get("/").body()).contains("data-press=\"press-1\"",
					"data-press=\"press-2\"", "Started elsewhere", ">1795428000123:4<", "Stale write rejected",
					">150.0<", "value=\"150.0\"", ">88 by press-1<", "press-4 was killed.",
					"data-post=\"/presses/press-2/resume\"", "data-post=\"/presses/press-4/start\"",
					"href=\"/statestore/\""));
	}

	@Test
	void loadsNothingExternalAndHasNoInlineScriptOrStyle() {
		String page = get("/").body();
		assertThat(page).doesNotContain("http://localhost", "https://", "//cdn", " style=", "<style", "javascript:",
				" onclick");
		assertThat(page.split("<script")).hasSize(2);
		assertThat(page).contains("<script src=\"/room.js\" type=\"module\"></script>");
	}

	@ParameterizedTest
	@ValueSource(strings = { "/room.css", "/room.js", "/icon.svg" })
	void servesAssets(String path) {
		assertThat(get(path).statusCode()).isEqualTo(200);
	}

	@Test
	void escapesNames() {
		FakeLine line = this.context.getBean(FakeLine.class);
		line.put("line/batch", "{\"number\":89,\"leader\":\"<script>alert(1)</script>\\u0000\"}");
		String page = Awaitility.await().until(() -> get("/").body(), (body) -> body.contains("&lt;script&gt;"));
		assertThat(page).doesNotContain("<script>alert", "\u0000")
			.contains("89 by &lt;script&gt;alert(1)&lt;/script&gt;\\u0000");
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
	void buttonsReachLine() {
		for (String action : new String[] { "pause", "resume", "kill", "cut" }) {
			assertThat(post("/presses/press-1/" + action).statusCode()).isEqualTo(200);
			assertThat(this.actions.done()).contains(action + " press-1");
		}
		assertThat(post("/setpoint?degrees=151.5").statusCode()).isEqualTo(200);
		assertThat(post("/broker/restart").statusCode()).isEqualTo(200);
		assertThat(this.actions.done()).contains("setpoint 151.5", "restart");
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
		assertThat(post("/presses/press-1/explode").statusCode()).isEqualTo(404);
	}

	@Test
	void refusesRequestsFromOtherSites() {
		int before = this.actions.done().size();
		HttpRequest form = HttpRequest.newBuilder(uri("/broker/restart")).POST(BodyPublishers.noBody()).build();
		assertThat(send(form).statusCode()).isEqualTo(403);
		assertThat(get("/broker/restart").statusCode()).isEqualTo(405);
		assertThat(this.actions.done()).hasSize(before);
	}

	@Test
	void acceptsOnlyLinksFromOtherSites() {
		for (String path : List.of("/statestore/api/keys", "/", "/room.js")) {
			assertThat(send(HttpRequest.newBuilder(uri(path))
				.header("Sec-Fetch-Site", "cross-site")
				.header("Sec-Fetch-Mode", "no-cors")
				.build()).statusCode()).as(path).isEqualTo(403);
		}
		assertThat(send(HttpRequest.newBuilder(uri("/"))
			.header("Sec-Fetch-Site", "cross-site")
			.header("Sec-Fetch-Mode", "navigate")
			.build()).statusCode()).isEqualTo(200);
		assertThat(send(HttpRequest.newBuilder(uri("/room.js"))
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
	void showsThreeBrokers() {
		FakeLine line = this.context.getBean(FakeLine.class);
		FakeRoom.FakeBrokers brokers = this.context.getBean(FakeRoom.FakeBrokers.class);
		Awaitility.await()
			.untilAsserted(() -> assertThat(get("/").body()).contains("id=\"restart-broker\"")
				.doesNotContain("id=\"brokers\""));
		brokers.states(List.of(new Brokers.State("broker-1", Brokers.State.LEADER, 12),
				new Brokers.State("broker-2", Brokers.State.WAITING, 0),
				new Brokers.State("broker-3", Brokers.State.STOPPED, 11)));
		line.available(false);
		Awaitility.await()
			.untilAsserted(() -> assertThat(get("/").body())
				.contains("data-broker=\"broker-1\"", ">Leader<", ">Waiting<", ">Stopped<", ">12<",
						"data-post=\"/brokers/broker-1/kill\"", "data-post=\"/brokers/broker-3/start\"",
						"No connection to the store.")
				.doesNotContain("id=\"restart-broker\"", "The broker is offline"));
		line.available(true);
		brokers.states(List.of());
		assertThat(post("/brokers/broker-1/kill").statusCode()).isEqualTo(200);
		assertThat(post("/brokers/broker-3/start").statusCode()).isEqualTo(200);
		assertThat(this.actions.done()).contains("kill broker-1", "start broker-3");
		assertThat(post("/brokers/broker-3/explode").statusCode()).isEqualTo(404);
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
		return send(HttpRequest.newBuilder(uri(path))
			.header("X-Requested-With", "test")
			.POST(BodyPublishers.noBody())
			.build());
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
