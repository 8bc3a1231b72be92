package io.statestore.broker.standalone;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

/**
 * HTTP server for health checks by load balancers and orchestrators. Answers one request
 * per connection. Thread-safe.
 */
final class ReadyServer implements AutoCloseable {

	static {
		// These apply to the entire process, which does not have another HTTP server.
		// Times are in seconds.
		System.setProperty("jdk.httpserver.maxConnections", "64");
		System.setProperty("sun.net.httpserver.idleInterval", "5");
		System.setProperty("sun.net.httpserver.maxReqTime", "5");
		System.setProperty("sun.net.httpserver.maxRspTime", "5");
	}

	private final ExecutorService executor = Executors.newCachedThreadPool((task) -> {
		Thread thread = new Thread(task, "statestore-ready");
		thread.setDaemon(true);
		return thread;
	});

	private final String host;

	private final HttpServer server;

	/**
	 * Starts a server.
	 * @param ready returns whether clients are served; must not block
	 * @param leading returns whether this node leads; must not block
	 * @throws IllegalStateException if the address is not available
	 */
	ReadyServer(String host, int port, BooleanSupplier ready, BooleanSupplier leading) {
		this.host = host;
		try {
			this.server = HttpServer.create(new InetSocketAddress(host, port), 0);
		}
		catch (IOException ex) {
			throw new IllegalStateException("Health checks cannot listen on " + host + ':' + port + ": "
					+ ex.getMessage() + ". Use another --ready-port or --ready-host", ex);
		}
		this.server.setExecutor(this.executor);
		this.server.createContext("/", (request) -> answer(request, switch (request.getRequestURI().getPath()) {
			case "/readyz" -> ready.getAsBoolean() ? 200 : 503;
			case "/leaderz" -> leading.getAsBoolean() ? 200 : 503;
			default -> 404;
		}));
		this.server.start();
	}

	private static void answer(HttpExchange request, int health) throws IOException {
		String method = request.getRequestMethod();
		int status = (method.equals("GET") || method.equals("HEAD")) ? health : 405;
		request.getResponseHeaders().set("Content-Type", "text/plain");
		request.getResponseHeaders().set("Cache-Control", "no-store");
		request.getResponseHeaders().set("Connection", "close");
		byte[] text = ((status == 200) ? "OK\n" : "Status " + status + '\n').getBytes(StandardCharsets.US_ASCII);
		request.sendResponseHeaders(status, method.equals("HEAD") ? -1 : text.length);
		try (OutputStream body = request.getResponseBody()) {
			if (!method.equals("HEAD")) {
				body.write(text);
			}
		}
	}

	int port() {
		return this.server.getAddress().getPort();
	}

	String url() {
		return "http://" + (this.host.contains(":") ? '[' + this.host + ']' : this.host) + ':' + port() + "/readyz";
	}

	@Override
	public void close() {
		this.server.stop(0);
		this.executor.shutdownNow();
	}

}
