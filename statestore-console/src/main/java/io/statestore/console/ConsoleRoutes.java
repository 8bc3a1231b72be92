package io.statestore.console;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.regex.Pattern;

import io.statestore.client.Key;
import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreRefusedException;
import io.statestore.client.mqtt.internal.AdministrationClient.AdministrationUnavailableException;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.ProtocolException;
import org.jspecify.annotations.Nullable;

import org.springframework.core.io.ClassPathResource;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.function.HandlerFunction;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.servlet.function.ServerResponse;

/**
 * Handles the console's requests, all of which only read. Each request first determines
 * which keys its user may read, whatever the application's rules for its path permit.
 *
 * @param store reads the store
 * @param access decides which keys a user may read; {@code null} to let only
 * administrators read keys
 * @param insecure whether everyone may read all keys
 */
record ConsoleRoutes(StoreReader store, @Nullable ConsoleAccess access, boolean insecure) {

	private static final String CONTENT_SECURITY_POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; "
			+ "img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

	/** Matches hosts that no other website can have. */
	private static final Pattern LOCAL = Pattern.compile("(?i)(localhost|[\\d.]+|\\[[\\da-f:.]+])(:\\d+)?");

	RouterFunction<ServerResponse> at(String path) {
		return RouterFunctions.route()
			// URLs on the page are relative to its directory.
			.GET(path,
					(request) -> response(HttpStatus.FOUND)
						.location(URI.create(path.substring(path.lastIndexOf('/') + 1) + '/'))
						.build())
			.GET(path + '/', file("console.html"))
			.GET(path + "/console.js", file("console.js"))
			.GET(path + "/console.css", file("console.css"))
			.GET(path + "/api/keys", read(this::keys))
			.GET(path + "/api/key", read(this::key))
			.GET(path + "/api/history", read((request, readable) -> this.store.history(requested(request, readable))))
			.GET(path + "/api/locks", read((request, readable) -> this.store.locks(readable)))
			.GET(path + "/api/clients", readAll(this.store::clients))
			.GET(path + "/api/servers", readAll(this.store::servers))
			.build();
	}

	private Object keys(ServerRequest request, ReadableKeys readable) {
		return this.store.keys(readable, request.param("search").orElse(""),
				request.param("from").map(KeySearch.Position::parse).orElse(null));
	}

	private Object key(ServerRequest request, ReadableKeys readable) {
		return this.store.entry(requested(request, readable))
			.orElseThrow(() -> new ResponseStatusException(HttpStatus.NOT_FOUND,
					"The key does not exist. It was deleted, or has expired."));
	}

	private static Key requested(ServerRequest request, ReadableKeys readable) {
		Key key = Key.of(Bytes.ofHex(request.param("id").orElse("")));
		// The response is the same whether or not the key exists.
		if (!readable.contains(key.bytes())) {
			throw forbidden("You may not read this key. Ask an administrator of this application.");
		}
		return key;
	}

	private ReadableKeys readable(ServerRequest request) {
		if (this.insecure) {
			requireOwnPage(request.headers());
			return ReadableKeys.ALL;
		}
		Principal user = request.principal()
			.orElseThrow(() -> new ResponseStatusException(HttpStatus.UNAUTHORIZED,
					"You are not signed in. Sign in to this application, then reload the page."));
		ReadableKeys readable = (this.access != null) ? new ReadableKeys(this.access.patterns(user))
				: request.servletRequest().isUserInRole("ADMIN") ? ReadableKeys.ALL : new ReadableKeys(List.of());
		if (readable.patterns().isEmpty()) {
			throw forbidden("You may read no key. Ask an administrator of this application for access to the console.");
		}
		return readable;
	}

	/**
	 * Refuses requests from other websites, even if their host name resolves to this
	 * machine (DNS rebinding). Permits links to the page.
	 */
	private static void requireOwnPage(ServerRequest.Headers headers) {
		if (!LOCAL.matcher(String.valueOf(headers.firstHeader("Host"))).matches()) {
			throw forbidden("With statestore.console.insecure, the console has no name but localhost. Open it with "
					+ "localhost or an IP address, or add Spring Security to this application.");
		}
		if ("cross-site".equals(headers.firstHeader("Sec-Fetch-Site"))
				&& !"navigate".equals(headers.firstHeader("Sec-Fetch-Mode"))) {
			throw forbidden("Another web site has sent the request.");
		}
	}

	private static ResponseStatusException forbidden(String reason) {
		return new ResponseStatusException(HttpStatus.FORBIDDEN, reason);
	}

	private HandlerFunction<ServerResponse> file(String name) {
		return handler((request, readable) -> new ClassPathResource(name, ConsoleRoutes.class));
	}

	private HandlerFunction<ServerResponse> read(BiFunction<ServerRequest, ReadableKeys, Object> reader) {
		return handler((request, readable) -> {
			this.store.requireConnection();
			return reader.apply(request, readable);
		});
	}

	private HandlerFunction<ServerResponse> readAll(Supplier<Object> reader) {
		return read((request, readable) -> {
			if (!readable.isAll()) {
				throw forbidden("Only users who may read all keys see this. Ask an administrator of this application.");
			}
			return reader.get();
		});
	}

	private HandlerFunction<ServerResponse> handler(BiFunction<ServerRequest, ReadableKeys, Object> content) {
		return (request) -> {
			try {
				return response(HttpStatus.OK).body(content.apply(request, readable(request)));
			}
			catch (ResponseStatusException ex) {
				return problem(ex.getStatusCode(), String.valueOf(ex.getReason()));
			}
			catch (ProtocolException ex) {
				return problem(HttpStatus.BAD_REQUEST, "The pattern is invalid. Close each [ with a ].");
			}
			catch (IllegalArgumentException ex) {
				return problem(HttpStatus.BAD_REQUEST, "The address is invalid. Search for the key.");
			}
			catch (StateStoreRefusedException | AdministrationUnavailableException ex) {
				return problem(HttpStatus.CONFLICT, "The server does not show this: " + ex.getMessage());
			}
			catch (StateStoreException ex) {
				return problem(HttpStatus.SERVICE_UNAVAILABLE, "The store does not answer: " + ex.getMessage());
			}
		};
	}

	private static ServerResponse problem(HttpStatusCode status, String message) throws Exception {
		return response(status).contentType(new MediaType(MediaType.TEXT_PLAIN, StandardCharsets.UTF_8)).body(message);
	}

	private static ServerResponse.BodyBuilder response(HttpStatusCode status) {
		return ServerResponse.status(status).headers((headers) -> {
			headers.set("Content-Security-Policy", CONTENT_SECURITY_POLICY);
			headers.set("X-Content-Type-Options", "nosniff");
			headers.set("Referrer-Policy", "no-referrer");
			headers.setCacheControl("no-store");
		});
	}

}
