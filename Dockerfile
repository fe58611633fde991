# The explorer in a container, as a user without rights, with a read-only root:
#
#   docker build -t bookbuilder .
#   docker run --rm --read-only --tmpfs /tmp -v "$PWD/stores:/stores" bookbuilder tally games.pgn -o games.store
#   docker run --rm --read-only --tmpfs /tmp -v "$PWD/stores:/stores:ro" -p 8000:8000 bookbuilder
#
# Without a command it serves the stores and books in /stores. `--token TEXT` keeps others out.
FROM rust:1-slim-bookworm AS build
RUN apt-get update && apt-get install -y --no-install-recommends python3 python3-venv && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY . .
RUN python3 -m venv /venv && /venv/bin/pip install --no-cache-dir -c constraints.txt ".[web]"

FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends python3 && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --home-dir /nonexistent bookbuilder \
    && mkdir /stores && chown bookbuilder /stores
COPY --from=build /venv /venv
USER 10001
VOLUME /stores
WORKDIR /stores
EXPOSE 8000
ENV PATH=/venv/bin:$PATH PYTHONDONTWRITEBYTECODE=1
ENTRYPOINT ["bookbuilder"]
CMD ["serve", "/stores", "--host", "0.0.0.0", "--port", "8000"]
