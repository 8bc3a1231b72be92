package io.statestore.sample.room;

import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Refuses requests that other web sites send from the browser of the user, except for
 * links to the page. Their pages cannot set the header {@code HX-Request} or change
 * {@code Sec-Fetch-Site}, and a name of theirs that resolves to this machine is not
 * accepted as a host.
 */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE)
class RoomGuard extends OncePerRequestFilter {

	private static final String CONTENT_SECURITY_POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; "
			+ "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

	private final Set<String> hosts;

	RoomGuard(@Value("${server.address:localhost}") String address) {
		String name = address.toLowerCase(Locale.ROOT);
		this.hosts = new HashSet<>(List.of("localhost", "127.0.0.1", "[::1]", name, '[' + name + ']'));
	}

	@Override
	protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws ServletException, IOException {
		response.setHeader("Content-Security-Policy", CONTENT_SECURITY_POLICY);
		response.setHeader("X-Content-Type-Options", "nosniff");
		response.setHeader("Referrer-Policy", "no-referrer");
		response.setHeader("Cache-Control", "no-cache");
		if (!this.hosts.contains(host(request.getHeader("Host")))) {
			refuse(response, "Unknown host. Open the page with the address of the property 'server.address'.");
		}
		else if ("cross-site".equals(request.getHeader("Sec-Fetch-Site"))
				&& !"navigate".equals(request.getHeader("Sec-Fetch-Mode"))) {
			refuse(response, "Another web site has sent the request.");
		}
		else if ("POST".equals(request.getMethod()) && !"true".equals(request.getHeader("HX-Request"))) {
			refuse(response, "The header 'HX-Request: true' is missing.");
		}
		else {
			chain.doFilter(request, response);
		}
	}

	/** Returns the name of a header without its port. */
	private static String host(@Nullable String header) {
		if (header == null) {
			return "";
		}
		int end = header.startsWith("[") ? header.indexOf(']') + 1 : header.indexOf(':');
		return ((end > 0) ? header.substring(0, end) : header).toLowerCase(Locale.ROOT);
	}

	private static void refuse(HttpServletResponse response, String message) throws IOException {
		response.setStatus(HttpServletResponse.SC_FORBIDDEN);
		response.setContentType("text/plain;charset=UTF-8");
		response.getWriter().write(message);
	}

}
