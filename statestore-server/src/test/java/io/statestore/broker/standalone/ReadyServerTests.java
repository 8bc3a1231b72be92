package io.statestore.broker.standalone;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

class ReadyServerTests {

	private volatile boolean ready = true;

	private volatile boolean leading;

	private final ReadyServer server = new ReadyServer("localhost", 0, () -> this.ready, () -> this.leading);

	@AfterEach
	void close() {
		this.server.close();
	}

	private String request(String request) throws IOException {
		return request(this.server, request);
	}

	private static String request(ReadyServer server, String request) throws IOException {
		try (Socket socket = new Socket("localhost", server.port())) {
			socket.setSoTimeout(20_000);
			socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
			return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
		}
	}

	private String get(String path) throws IOException {
		return request("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
	}

	@Test
	void answersByRole() throws Exception {
		assertThat(get("/readyz")).startsWith("HTTP/1.1 200 ").endsWith("\r\n\r\nOK\n");
		assertThat(get("/leaderz")).startsWith("HTTP/1.1 503 ");
		this.leading = true;
		assertThat(get("/leaderz?pretty")).startsWith("HTTP/1.1 200 ");
		this.ready = false;
		assertThat(get("/readyz")).startsWith("HTTP/1.1 503 ");
	}

	@ParameterizedTest
	@CsvSource({ "localhost,http://localhost:", "0.0.0.0,http://0.0.0.0:", "::1,http://[::1]:" })
	void urlHasHost(String host, String url) {
		try (ReadyServer other = new ReadyServer(host, 0, () -> true, () -> true)) {
			assertThat(other.url()).isEqualTo(url + other.port() + "/readyz");
		}
	}

	@Test
	void headHasNoBody() throws Exception {
		assertThat(request("HEAD /readyz HTTP/1.0\r\n\r\n")).startsWith("HTTP/1.1 200 ").endsWith("\r\n\r\n");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', value = { "GET /other HTTP/1.1 | 404", "GET /readyz/ HTTP/1.1 | 404",
			"POST /readyz HTTP/1.1 | 405", "GET /readyz | 400", "nonsense | 400" })
	void refusesOtherRequests(String line, int status) throws Exception {
		assertThat(request(line + "\r\n\r\n")).startsWith("HTTP/1.1 " + status + ' ');
	}

	@Test
	void answersAfterSilentClientsHaveLeft() throws Exception {
		try (ReadyServer other = new ReadyServer("localhost", 0, () -> true, () -> true)) {
			List<Socket> silent = new ArrayList<>();
			for (int i = 0; i < 100; i++) {
				silent.add(new Socket("localhost", other.port()));
			}
			for (Socket socket : silent) {
				socket.setSoTimeout(20_000);
				assertThat(socket.getInputStream().read()).isEqualTo(-1);
			}
			await().ignoreExceptions()
				.until(() -> request(other, "GET /readyz HTTP/1.1\r\n\r\n").startsWith("HTTP/1.1 200 "));
		}
	}

	@Test
	void namesOptionsWhenPortIsInUse() throws Exception {
		try (ServerSocket taken = new ServerSocket(0)) {
			assertThatIllegalStateException()
				.isThrownBy(() -> new ReadyServer("localhost", taken.getLocalPort(), () -> true, () -> true))
				.withMessageContainingAll("localhost:" + taken.getLocalPort(), "--ready-port");
		}
	}

}
